"""Letters: what each mail says, from the subject to its sentences."""
