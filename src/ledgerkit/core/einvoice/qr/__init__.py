"""QR of a record."""
