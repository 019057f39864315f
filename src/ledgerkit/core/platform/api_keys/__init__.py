"""API keys with scopes: made by a person for one program, in one account."""
