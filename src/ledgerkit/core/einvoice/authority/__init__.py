"""Ways of an account to its authority, and the words of the authority's refusals."""
