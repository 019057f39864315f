"""Logo of a team."""
