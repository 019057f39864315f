"""Invoices in a message: client, lines, taxes, days, and whether to issue."""
