"""Records that are signed and kept instead of reported at once (no-VERI*FACTU); off by default."""
