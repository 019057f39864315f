"""Credentials that cover less than their holder's role grants: scoped keys, and others that are narrowed for a test."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Actor, Kernel
from ledgerkit.core.platform.request.permissions import Permission
from support.api import Api


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


async def with_scoped_key(owner: Api, *scopes: str, **fields: Any) -> Api:
    """A caller with a new key of the owner's for these scopes, in the team that is the owner's active one."""
    body = await owner.post("/api/keys", {"name": "Asistente", "scopes": list(scopes), **fields})
    return Api(owner.client, {"Authorization": f"Bearer {body['key']}"}, "", body["key"], owner.team)
