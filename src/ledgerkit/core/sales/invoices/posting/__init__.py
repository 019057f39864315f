"""Posting of issued documents: the client's figures, the stock, set-offs, and what remains after corrections."""
