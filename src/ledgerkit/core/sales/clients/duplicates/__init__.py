"""Two records of one client."""
