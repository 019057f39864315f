"""The embedded PostgreSQL: a real server of our own, started and stopped with ledgerkit."""

from ledgerkit.embedded_postgres.address import Urls
from ledgerkit.embedded_postgres.errors import PostgresStartError
from ledgerkit.embedded_postgres.server import EmbeddedPostgres, running_urls

__all__ = ["EmbeddedPostgres", "PostgresStartError", "Urls", "running_urls"]
