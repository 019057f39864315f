"""Scopes of keys, row by row: without its scope no operation answers."""

from typing import Any

import pytest

from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope, scope_of
from support.routes import served
from support.scenes import ASKS, address, body, scene
from support.scopes import with_scoped_key

PERMISSIONS = {route.row: route.operation.permission for route in served() if route.operation and route.known}


def refusal(permission: Permission) -> tuple[int, str, Any]:
    """Status, code and scope of the answer to a key that covers everything but this."""
    if permission is Permission.LOGIN:
        return 401, "UNAUTHENTICATED", None
    scope = scope_of(permission)
    return 403, "INSUFFICIENT_SCOPE", scope.value if scope else None


@pytest.mark.parametrize("scope", [None, *Scope], ids=lambda scope: scope.value if scope else "none")
async def test_an_operation_needs_its_scope_whatever_else_a_key_covers(ana, scope):
    ids = await scene(ana)
    # With `propose`, what no other scope covers would be proposed; without it, only proposals themselves are refused.
    caller = await with_scoped_key(ana, *(one for one in Scope if one not in {scope, Scope.PROPOSE}))
    seen, expected = {}, {}
    for row in sorted(ASKS):
        permission = PERMISSIONS[row]
        if scope_of(permission) is not scope:
            continue
        method, path = address(row, ids)
        problem = (await caller.request(method, path, body(ASKS[row], ids))).json()
        seen[row] = problem["status"], problem["code"], problem.get("requiredScope")
        expected[row] = refusal(permission)

    assert len(seen) >= 1
    assert seen == expected
