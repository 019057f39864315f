"""The application's routes as they are served, for tests that go over all of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute

from ledgerkit.app import create_app
from ledgerkit.core.platform.request.operation import Operation
from ledgerkit.routers.routing import GuardedRoute
from ledgerkit.settings import Settings


@dataclass(frozen=True)
class Served:
    """One method of one path; `body_limit` in bytes and `operation`, None for a route that is not guarded."""

    method: str
    path: str
    known: bool
    body_limit: int | None
    operation: Operation | None

    @property
    def row(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def address(self) -> str:
        """The path with something in the place of its parameters."""
        return re.sub(r"{\w+}", "x", self.path)


@cache
def served() -> tuple[Served, ...]:
    return tuple(_served())


def _served() -> Iterator[Served]:
    for context in iter_route_contexts(create_app(Settings(_env_file=None)).routes):
        route: BaseRoute = context.original_route
        guarded = route if isinstance(route, GuardedRoute) else None
        operation = guarded.operation if guarded else None
        for method in sorted(context.methods or ()):
            limit = guarded.body_limit if guarded else None
            yield Served(method, context.path or "", bool(guarded and guarded.for_known_callers), limit, operation)
