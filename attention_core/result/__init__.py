"""One configuration computed: dense or streamed, as one frozen `AttentionResult`."""
