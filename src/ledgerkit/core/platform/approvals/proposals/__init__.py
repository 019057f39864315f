"""How an operation becomes a proposal: its rehearsal, and what is stored of it."""
