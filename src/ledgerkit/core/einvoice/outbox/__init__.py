"""Records on their way to an authority: pace, retries, incidents, correspondence."""
