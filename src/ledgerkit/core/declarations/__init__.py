"""Tax declarations: computed by a country's forms from the ledger, stored, submitted and frozen."""
