"""Tokens: issued, exchanged and revoked."""
