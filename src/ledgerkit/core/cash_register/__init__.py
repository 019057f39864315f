"""Cash registers: the till, its movements and its closing."""
