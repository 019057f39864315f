"""Records that are signed and kept instead of reported: events, signatures, their audit."""
