"""Clients: registered, found and authenticated."""
