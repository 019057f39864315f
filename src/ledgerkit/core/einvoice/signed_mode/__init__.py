"""The signed mode (NO VERI*FACTU): records are signed and stored instead of reported at once; off by default."""
