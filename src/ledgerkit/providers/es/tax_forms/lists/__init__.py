"""Declarations that are lists: of payees (190), landlords (180), third parties (347) and operators in the EU (349)."""
