"""Amounts of a supplier invoice: computed, converted, deducted."""
