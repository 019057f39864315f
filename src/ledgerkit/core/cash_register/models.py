"""Tables of cash register."""
