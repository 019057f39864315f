"""Questions of the gate to a person: in the web app, or by a token over the same channel."""
