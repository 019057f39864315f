"""Stock of items: the ledger of its movements, levels, variants and corrections."""
