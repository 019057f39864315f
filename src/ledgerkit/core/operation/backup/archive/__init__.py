"""Archive of a backup: written, and restored."""
