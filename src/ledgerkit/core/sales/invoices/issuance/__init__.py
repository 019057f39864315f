"""Issuance: number, series, day and order of an invoice, and its life after that."""
