"""The interface's 112 rows, those of them that are not built yet, and the operations that we add to them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from support.description import operations
from support.scenes import FAILURES, FAILURES_ELSEWHERE

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


@cache
def additions() -> list[Row]:
    """Operations of ours beyond the interface, which are described but in none of its rows; tried like these.

    Not the probes, and not the alias that the interface mentions. A failure that they name is one that a scene tries.
    """
    theirs = {row.name for row in rows()} | {"GET /health", "GET /ready", "POST /api/einvoice"}
    return [_addition(name, one) for name, one in operations().items() if name not in theirs]


def _addition(name: str, described: Mapping[str, Any]) -> Row:
    method, _, path = name.partition(" ")
    succeeding = [int(status) for status in described["responses"] if int(status) < 300]
    failing = [status for row, status in [*FAILURES, *FAILURES_ELSEWHERE] if row == name]
    return Row(method, path, bool(described["security"]), (*succeeding, *failing))


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
    "DELETE /auth/session",
    "POST /auth/regenerate-key",
    "POST /auth/password",
    "POST /auth/verify/resend",
    "POST /auth/export",
    "GET /auth/export",
    "POST /auth/session/proof",
    "GET /auth/export/download",
    "DELETE /auth/export",
    "DELETE /auth/me",
    "GET /api/oauth/grants",
    "DELETE /api/oauth/grants/{id}",
    "GET /api/keys",
    "POST /api/keys",
    "DELETE /api/keys/{id}",
    "GET /api/messaging/messengers",
    "GET /api/messaging/links",
    "POST /api/messaging/links",
    "DELETE /api/messaging/links/{id}",
    "GET /api/messaging/settings",
    "PUT /api/messaging/settings",
    "POST /api/mail/test",
    "PUT /api/approvals/policy",
    "GET /api/approvals/policy/connections",
}
"""Operations on a person's own account: for their login, not for keys."""
