"""The Explore page: heat maps, scores, entropy and gradient of one configuration."""
