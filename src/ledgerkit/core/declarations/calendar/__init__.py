"""Calendar of the declarations that an account has to file."""
