"""Doubts about received documents: their tax, and periods that are filed."""
