"""Modes of a chain: records are reported at once, or signed and stored."""
