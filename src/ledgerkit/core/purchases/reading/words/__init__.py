"""Words of documents, and how they are compared."""
