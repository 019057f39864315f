"""What goes to an authority and comes back: at its pace, in order, whatever gets lost."""
