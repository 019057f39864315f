"""The tax rate of lines that name none: the team's, else the general one of its country."""

import pytest

from support.api import Api

PATH = "/api/teams/usual-tax-rate"


@pytest.mark.parametrize(("country", "usual"), [("ES", 21), ("VT", 10), ("FR", None)])
async def test_a_team_without_a_rate_of_its_own_has_the_general_one_of_its_country(client, country, usual):
    person = await Api.register(client, "nueva@example.com")
    await person.post("/api/teams", {"name": "Nueva", "country": country})

    assert await person.get(PATH) == {"taxRate": usual}


async def test_the_teams_own_rate_goes_first(ana):
    await ana.put("/api/teams/current", {"defaultTaxRate": 0})

    assert await ana.get(PATH) == {"taxRate": 0}


async def test_a_personal_workspace_has_the_rate_of_its_country(client):
    person = await Api.register(client, "sola@example.com")

    assert await person.get(PATH) == {"taxRate": 21}
