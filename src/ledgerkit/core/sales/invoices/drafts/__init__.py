"""Drafts that follow from something else: credit notes, and changes of a client's card."""
