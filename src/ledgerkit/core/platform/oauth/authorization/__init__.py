"""Authorization requests: checked, stored, and answered."""
