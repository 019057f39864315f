"""Board of a team: positions of tasks."""
