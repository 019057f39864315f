"""Persons: their passwords, their API keys, and steps that change what they may enter."""
