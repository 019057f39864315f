"""Board of a team: positions of tasks, and the records that they name."""
