"""Vendors: who is bought from."""
