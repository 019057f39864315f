"""From a draft to a sealed record: numbering, sealing, correcting, annulling, crediting."""
