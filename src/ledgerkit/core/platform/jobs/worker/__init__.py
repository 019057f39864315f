"""Worker that runs the jobs of the queue."""
