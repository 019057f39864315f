"""Attempts on somebody else's records: every way to be the caller, and the common form of the answers."""

import json
from typing import Any

from ledgerkit.core.platform.request.scopes import Scope
from support.api import Api
from support.interface import OF_LOGINS
from support.scopes import with_scoped_key


async def everybody(owner: Api, row: str = "") -> list[Api]:
    """One caller in each way to be the same: by token, by one's own keys, by the team's key.

    By token only for a `row` that takes nothing else.
    """
    if row in OF_LOGINS:
        return [owner]
    return [
        owner,
        await with_scoped_key(owner, *(scope for scope in Scope if scope is not Scope.PROPOSE)),
        Api(owner.client, {"x-api-key": owner.api_key}),
        Api(owner.client, {"x-api-key": owner.team["apiKey"]}),
        Api(owner.client, {"Authorization": f"Bearer {owner.team['apiKey']}"}),
    ]


def told(answer: Any, known: str) -> Any:
    """Status and body of an answer, without what differs between any two requests."""
    text = answer.text.replace(known, "<id>")
    found = json.loads(text)
    return answer.status_code, {**found, "requestId": None} if isinstance(found, dict) else found
