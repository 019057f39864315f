"""Cross-checks of a year's declarations."""
