"""Work of a running server beside its requests: scheduled jobs and gauges."""
