"""Tasks: the team's board."""
