"""Rules that all documents share: arithmetic, languages, tax identifiers, the state of e-invoicing."""
