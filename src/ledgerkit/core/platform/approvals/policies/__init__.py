"""Rules of an account for asking about acts."""
