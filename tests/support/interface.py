"""The interface's 112 rows, those of them that are not built yet, and the operations that we add to them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "contract"


@dataclass(frozen=True)
class Row:
    method: str
    path: str
    auth: bool
    statuses: tuple[int, ...]
    roles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def success(self) -> list[int]:
        return [status for status in self.statuses if status < 300]

    @property
    def failures(self) -> list[int]:
        return [status for status in self.statuses if status >= 300]


def rows() -> list[Row]:
    return _read("endpoints.toml")


def additions() -> list[Row]:
    """Operations of ours beyond the interface (its decisions mark them with a plus), tried like its rows."""
    return _read("additions.toml")


def _read(name: str) -> list[Row]:
    found = tomllib.loads((FOLDER / name).read_text())["endpoints"]
    return [Row(**{**one, "statuses": tuple(one["statuses"]), "roles": tuple(one.get("roles", ()))}) for one in found]


def not_built() -> set[str]:
    """Rows that are not built yet. This list may only shrink."""
    return set(tomllib.loads((FOLDER / "not_built.toml").read_text())["rows"])


def built() -> list[Row]:
    missing = not_built()
    return [row for row in rows() if row.name not in missing] + additions()


OF_LOGINS = {
    "POST /auth/refresh",
    "POST /auth/logout",
    "POST /auth/logout-everywhere",
    "POST /auth/regenerate-key",
    "POST /auth/password",
    "POST /auth/verify/resend",
    "GET /auth/export",
    "GET /auth/export/download",
    "DELETE /auth/export",
    "DELETE /auth/me",
}
"""What concerns a person's own account: for their login, not for keys."""
