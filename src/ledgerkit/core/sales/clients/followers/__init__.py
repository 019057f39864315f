"""Followers of a client's card."""
