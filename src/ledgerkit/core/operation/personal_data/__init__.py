"""Export and erasure of a person's data (GDPR arts. 15, 17 and 20)."""
