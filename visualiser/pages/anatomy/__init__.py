"""The Anatomy page: Figure 2 walked through number by number."""
