from typing import Any
from uuid import UUID

import pytest

from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import lifecycle


@pytest.fixture
def issue(ana, kernel):
    """Issues a draft as a mail does, without printing and posting it; gives it as it is shown."""

    async def issued(draft: dict[str, Any]) -> dict[str, Any]:
        ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
        async with ctx.transaction() as inner:
            await lifecycle.issue(inner, await lifecycle.locked(inner, draft["id"]))
        return await ana.get(f"/api/invoices/{draft['id']}")

    return issued
