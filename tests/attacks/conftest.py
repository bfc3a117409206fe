"""Attacks come from an address of Linux's loopback network, and read /proc."""

from tests.attacks.rude import is_usable

collect_ignore_glob = [] if is_usable() else ["test_*.py"]
