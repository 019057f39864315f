"""Tables of supplier invoices."""
