"""Documents with a number, or on their way to one, as other domains read them."""
