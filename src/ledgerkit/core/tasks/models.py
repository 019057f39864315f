"""Tables of tasks."""
