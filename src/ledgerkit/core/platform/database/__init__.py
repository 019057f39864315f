"""PostgreSQL: tables, transactions, connections, the embedded server, and keeping accounts apart."""
