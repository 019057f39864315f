"""Work on a whole installation: setting up its database, its scheduled jobs, its gauges."""
