"""Proposals of a client that does nothing itself."""

from typing import Any

from support.api import Api

APPROVED = (
    "update approval set status = 'approved', decided_at = now() - cast(:age as interval), decided_by = proposed_by,"
    " decided_by_name = 'Ana', decided_via = 'api', key = 'approval-' || id where id = :id returning id"
)
"""As a process leaves a proposal that dies after the decision."""


async def proposed(caller: Api, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The proposal that a request has become; its status is asserted."""
    answer = await caller.request(method, path, body, **headers)
    assert answer.status_code == 202, answer.text
    return answer.json()
