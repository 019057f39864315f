"""Stock of items: the ledger of its movements, levels and corrections."""
