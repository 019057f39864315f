"""Vendors: the suppliers of an account."""
