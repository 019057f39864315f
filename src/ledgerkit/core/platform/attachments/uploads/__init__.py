"""Uploads: contents that no row names yet."""
