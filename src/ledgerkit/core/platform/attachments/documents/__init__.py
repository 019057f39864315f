"""Documents that files are attached to."""
