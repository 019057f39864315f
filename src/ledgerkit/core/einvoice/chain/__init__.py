"""The chain of an issuer's fiscal records: its head, its links, appending, and its history."""
