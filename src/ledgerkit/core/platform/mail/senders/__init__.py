"""Senders: who may mail, in whose name, how much a day."""
