"""A declarant: ana, without e-invoicing, so that what she issues has no fiscal record."""

import pytest

from support.declarations import Declarant


@pytest.fixture
async def declarant(ana, kernel) -> Declarant:
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    return Declarant(ana.client, ana.headers, team=ana.team, kernel=kernel)
