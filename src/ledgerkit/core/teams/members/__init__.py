"""Members of a team: their roles, and how they leave."""
