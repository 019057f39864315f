"""The signed log of events that the law asks of software which keeps records instead of reporting them."""
