"""Proposals of a client that does nothing itself."""

from typing import Any

from support.api import Api


async def proposed(caller: Api, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The proposal that a request has become; its status is asserted."""
    answer = await caller.request(method, path, body, **headers)
    assert answer.status_code == 202, answer.text
    return answer.json()
