"""Requests of a scene: the place of each of its records in path, query and body."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

ROLES = ("owner", "admin", "finance", "operations", "member", "viewer")
EVERYBODY = frozenset(ROLES)
OWNER = frozenset({"owner"})
ADMINS = OWNER | {"admin"}
FINANCE = ADMINS | {"finance"}
OPERATIONS = FINANCE | {"operations"}
STOCK_KEEPERS = ADMINS | {"operations"}
MEMBERS = OPERATIONS | {"member"}
READERS_OF_FIGURES = FINANCE | {"viewer"}

Ids = Mapping[str, str]


@dataclass(frozen=True)
class Of:
    """The id of a record of the scene, by its name there."""

    name: str


@dataclass(frozen=True)
class Ask:
    """A valid request of a row: `of` names the record whose id stands in the path, `body` and `query` hold more.

    `allowed` are the roles that may, None for what needs no login. `before` is for what depends on who asks: done as
    the caller (an `Api`), it gives the ids of the scene as they are then.
    """

    of: str | None = None
    body: Any = None
    query: Mapping[str, Any] | None = None
    allowed: frozenset[str] | None = None
    before: Callable[[Any, Ids], Awaitable[Ids]] | None = None


@dataclass(frozen=True)
class Failing:
    """A request of ana's that fails as its row says it can."""

    method: str
    path: str
    body: Any = None


def filled(value: Any, ids: Ids) -> Any:
    """`value` with the ids of a scene; of records that do not exist where it has none."""
    if isinstance(value, Of):
        return ids.get(value.name, str(uuid4()))
    if isinstance(value, Mapping):
        return {name: filled(one, ids) for name, one in value.items()}
    if isinstance(value, list):
        return [filled(one, ids) for one in value]
    return value


def named_in(value: Any) -> list[str]:
    """The names of the records that a body or query mentions."""
    if isinstance(value, Of):
        return [value.name]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [name for one in inner for name in named_in(one)]
