"""Passwords, verified addresses, and the links that are mailed for both."""
