"""Tax profile of an account: what a country's forms ask beside its documents."""
