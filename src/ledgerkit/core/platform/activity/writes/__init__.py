"""Calls that have written: the last calls of one author, and who has changed a record since."""
