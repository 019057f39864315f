"""Authorization server (OAuth 2.1): people let assistants work in one of their teams, with tokens instead of a key."""
