"""Tokens of public links."""
