"""Public bodies as clients."""
