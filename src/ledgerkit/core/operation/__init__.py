"""Domains for those who run an installation, and for those who leave it."""
