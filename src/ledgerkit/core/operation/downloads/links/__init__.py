"""Links to documents."""
