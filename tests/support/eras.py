"""Revisions of the Model Context Protocol that tests speak."""

MODERN = "2026-07-28"
"""The newest: every request stands alone."""
