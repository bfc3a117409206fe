"""Everything between the network and the pages: who asks, what it costs, whose turn it is, and what leaves."""
