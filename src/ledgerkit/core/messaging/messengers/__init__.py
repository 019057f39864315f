"""Messengers: the port that a messenger implements, those that are installed, and the ones that ship."""
