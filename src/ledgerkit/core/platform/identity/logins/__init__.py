"""Logins: who asks, the tokens that say so, and their sessions."""
