"""Pages on which a person logs in and decides what a client may do."""
