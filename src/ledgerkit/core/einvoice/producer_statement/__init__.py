"""The producer's statement about this software."""
