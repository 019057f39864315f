"""The embedded PostgreSQL: a real server of our own, started and stopped with ledgerkit.

The functions are what `core/operation/installation/database/access.py` asks of whoever runs one; only it imports them.
"""

from ledgerkit.embedded_postgres.address import Urls
from ledgerkit.embedded_postgres.errors import PostgresStartError
from ledgerkit.embedded_postgres.server import EmbeddedPostgres, has_cluster, lends_account, running_urls, server_in

__all__ = [
    "EmbeddedPostgres",
    "PostgresStartError",
    "Urls",
    "has_cluster",
    "lends_account",
    "running_urls",
    "server_in",
]
