"""Folders of tests that are begun apart."""

WAITING_FOLDERS = ("live", "rented", "commands", "embedded_postgres", "web")
"""Folders of tests that wait for processes, sometimes for half a minute: they have workers of their own."""
