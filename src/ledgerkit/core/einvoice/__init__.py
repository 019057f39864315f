"""Electronic invoicing: an issued document's record, its chain, and its way to the authority.

Making records: service, emitting, correcting, annulling, crediting, over sealing and recording, which alone add to a
chain. A chain and what lies around it: chains, restoring, modes, certificates, keeping, events, pacing, incidents.
Telling of them: history, reading, results, wordings, waiting. Rooms of their own: sending/ (to the authority and back),
inspection/ (checks, exports, demands), papers/ (declarations, and what is read of certificates).
"""
