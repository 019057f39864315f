"""Time of the event loop: long work leaves it to other requests, and Python searches for garbage less often."""
