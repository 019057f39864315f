"""Clients that are described by a document at their own address (Client ID Metadata Documents)."""
