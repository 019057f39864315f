"""Import of received invoices that other software recorded."""
