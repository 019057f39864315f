"""The server of a directory, and what can be told of a directory without starting one."""

import os
from pathlib import Path

from ledgerkit.embedded_postgres.home import Home
from ledgerkit.embedded_postgres.server import EmbeddedPostgres


def server_in(directory: Path, *, durable: bool = True) -> EmbeddedPostgres:
    """Return the server of `directory`, not started; `durable` as in `EmbeddedPostgres`."""
    return EmbeddedPostgres(directory, durable=durable)


def has_cluster(directory: Path) -> bool:
    """Return True when a server was ever started in `directory`.

    Raises PostgresStartError when we may not look, or no PostgreSQL is installed.
    """
    return EmbeddedPostgres(directory).describe()["data_version"] is not None


def lends_account(directory: Path) -> bool:
    """Return True when the server's files lie in `directory` and belong to another user, as whom it runs."""
    cluster = Home(directory, directory).cluster
    return cluster.is_dir() and cluster.stat().st_uid != os.geteuid()
