"""Merging two records of one client, or of one vendor: one stays, with all documents, and the other goes."""
