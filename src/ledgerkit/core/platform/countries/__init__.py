"""Countries that are installed, as forms ask for them."""
