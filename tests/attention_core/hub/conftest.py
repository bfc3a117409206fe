"""A Hub on this machine with small random models."""

from tests.hub_fixtures import published, running, server

__all__ = ["published", "running", "server"]
