"""PostgreSQL: tables, transactions, connections, statements, roles, and the separation of accounts."""
