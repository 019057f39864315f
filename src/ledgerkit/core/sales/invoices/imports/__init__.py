"""Import of documents that other software issued: its rows, the documents of them, their numbers, their storage."""
