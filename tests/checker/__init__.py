"""A checker of every sentence, written independently of the sentences' own conditions (see checking.py)."""
