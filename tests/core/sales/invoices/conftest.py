from typing import Any

import pytest

from support.issuing import issued


@pytest.fixture
def issue(ana, kernel):
    """Issues a draft as a mail does, without printing and posting it; gives it as it is shown."""

    async def shown(draft: dict[str, Any]) -> dict[str, Any]:
        await issued(kernel, ana, draft)
        return await ana.get(f"/api/invoices/{draft['id']}")

    return shown
