"""Suppliers, purchases from them, and the reading of their documents."""
