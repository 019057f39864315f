"""Content of an invoice: its fields, its buyer, its amounts in the account's currency."""
