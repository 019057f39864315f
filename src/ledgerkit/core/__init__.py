"""The business, by wings: each holds domains, or is one (docs/architecture.md)."""

WINGS_OF_DOMAINS = frozenset({"operation", "platform", "purchases", "sales"})
"""Folders of several domains; every other folder is a domain itself."""
