"""How the gate asks a person: in the web app, or by a token over the same channel."""
