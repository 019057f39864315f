"""The embedded PostgreSQL: a real server of our own, started and stopped with ledgerkit."""

from ledgerkit.core.platform.database.postgres.address import Urls
from ledgerkit.core.platform.database.postgres.errors import PostgresStartError
from ledgerkit.core.platform.database.postgres.server import EmbeddedPostgres, running_urls

__all__ = ["EmbeddedPostgres", "PostgresStartError", "Urls", "running_urls"]
