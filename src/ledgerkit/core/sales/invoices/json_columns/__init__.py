"""JSON columns of invoices: their types and codecs."""
