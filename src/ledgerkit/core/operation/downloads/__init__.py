"""Links to documents for those who hold no credentials: signed, and short-lived."""
