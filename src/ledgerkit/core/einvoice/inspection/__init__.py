"""Verification, export and continuation of chains, for their owner and for inspectors."""
