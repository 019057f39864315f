"""Messages to an authority and its answers, in chain order, whatever gets lost."""
