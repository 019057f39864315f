"""What stands behind the records: declarations, and what is read of certificates."""
