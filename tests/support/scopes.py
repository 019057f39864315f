"""Credentials that cover less than their holder's role grants, as scoped keys and OAuth grants will."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ledgerkit.core.identity.authentication import Authenticator
from ledgerkit.core.request.context import Actor, Kernel
from ledgerkit.core.request.permissions import Permission


class NarrowingAuthenticator(Authenticator):
    """The real one, whose actors hold `scopes` at most."""

    def __init__(self, kernel: Kernel, scopes: Collection[Permission]) -> None:
        super().__init__(kernel)
        self._scopes = scopes

    async def by_key(self, *args: Any, **kwargs: Any) -> Actor:
        return (await super().by_key(*args, **kwargs)).narrowed(self._scopes)

    async def by_bearer(self, *args: Any, **kwargs: Any) -> Actor:
        return (await super().by_bearer(*args, **kwargs)).narrowed(self._scopes)


def narrowed(kernel: Kernel, *scopes: Permission) -> Kernel:
    """The kernel in which every credential covers `scopes` only."""
    return replace(kernel, services={**kernel.services, Authenticator: NarrowingAuthenticator(kernel, scopes)})
