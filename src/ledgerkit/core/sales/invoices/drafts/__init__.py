"""Drafts of credit notes."""
