"""What stands behind the records: certificates and declarations."""
