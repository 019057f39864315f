"""Parties whose records are merged: clients and vendors."""
