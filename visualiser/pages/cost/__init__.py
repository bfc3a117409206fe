"""The Cost page: time and memory of both mechanisms, counted and measured."""
