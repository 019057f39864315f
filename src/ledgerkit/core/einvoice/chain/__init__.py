"""The chain of an issuer's fiscal records: its head, its links, appending a record, and an invoice's history."""
