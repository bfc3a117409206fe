"""Admission by cost: start, queue or refuse each computation."""
