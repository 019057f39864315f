"""What an issued document does to the books: figures, stock, and what remains of it."""
