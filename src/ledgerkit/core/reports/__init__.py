"""Reports and summaries, the one place that reads the tables of several domains."""
