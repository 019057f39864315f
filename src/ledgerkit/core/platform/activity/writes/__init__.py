"""What was written, by whom: the last calls of one author, and who has changed a record since."""
