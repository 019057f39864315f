"""Rules of the grammar, by subject. Each returns what a message asks for, or None where it is about something else."""
