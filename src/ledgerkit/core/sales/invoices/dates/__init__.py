"""Dates of an invoice: issue date, payment term and due date, and warnings about them."""
