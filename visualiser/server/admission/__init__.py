"""Admission by cost: who computes now, who waits, who is refused."""
