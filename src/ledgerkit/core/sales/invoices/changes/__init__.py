"""Changes of an invoice that exists: rules for them, and what other domains change."""
