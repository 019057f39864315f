"""API keys with scopes, and their use."""
