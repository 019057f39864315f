"""Persons: their passwords, and steps that change what they may enter."""
