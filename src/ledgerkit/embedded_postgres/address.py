"""Address of the server, and the forms in which clients write it down."""

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from ledgerkit.embedded_postgres.cluster import APPLICATION, SUPERUSER
from ledgerkit.embedded_postgres.home import Home

SOCKET_PATH_BYTES = 100
"""Longest socket path we use; the systems' own limits are 107 (Linux) and 103 (macOS)."""


class Urls(NamedTuple):
    """One database as two roles: the one that owns it, and the one that the server works as."""

    owner: str
    app: str


@dataclass(frozen=True)
class Address:
    """Address of the server: the directory of a Unix socket, or a loopback port."""

    host: str
    port: int

    @property
    def is_socket(self) -> bool:
        return self.host.startswith("/")

    @property
    def settings(self) -> Mapping[str, str]:
        if self.is_socket:
            return {
                "listen_addresses": "",
                "unix_socket_directories": self.host,
                "unix_socket_permissions": "0700",
                "port": str(self.port),
            }
        return {"listen_addresses": self.host, "unix_socket_directories": "", "port": str(self.port)}

    def urls(self, home: Home, database: str) -> Urls:
        """Return the addresses of a database, with their passwords."""
        return Urls(
            owner=self._url(SUPERUSER, home.password(), database),
            app=self._url(APPLICATION, home.application_password(), database),
        )

    def _url(self, role: str, password: str, database: str) -> str:
        """Return SQLAlchemy's form of the address, for asyncpg."""
        user, name = f"{role}:{quote(password, safe='')}", quote(database, safe="")
        if self.is_socket:
            return f"postgresql+asyncpg://{user}@/{name}?host={quote(self.host, safe='/')}&port={self.port}"
        return f"postgresql+asyncpg://{user}@{self.host}:{self.port}/{name}"


def address_for(home: Home) -> Address:
    """Return a socket in the home if its path is short and plain enough for every client, else a free loopback port."""
    path = f"{home.sockets}/.s.PGSQL.5432"
    if len(path.encode()) <= SOCKET_PATH_BYTES and re.fullmatch(r"[A-Za-z0-9/._-]+", path):
        return Address(str(home.sockets), 5432)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return Address("127.0.0.1", int(probe.getsockname()[1]))
