"""Lines of an invoice: from the caller's input to the stored form."""
