"""Going live: what was tried out is set aside, and real business begins with the number 1."""
