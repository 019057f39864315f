"""Limits on logins and other requests: how many, and who waits."""
