"""Pages behind mailed links."""
