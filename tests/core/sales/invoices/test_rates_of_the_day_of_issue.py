"""A draft whose date is not stated has the rates of the day of its issue, also where they changed meanwhile."""

from datetime import UTC, datetime

import pytest
import time_machine

from support.api import Api, item

RETAILER = {"name": "Mercería Sol", "taxId": "87654321X", "country": "ES", "address": "Calle Sol 1"}


def at(year: int, month: int, day: int):
    return time_machine.travel(datetime(year, month, day, 12, tzinfo=UTC), tick=True)


@pytest.fixture
def api(ana) -> Api:
    """The account with its API key, whose validity no clock ends."""
    return Api(ana.client, {"x-api-key": ana.api_key})


def amounts(invoice):
    return [invoice[name] for name in ("taxRate", "subtotal", "taxAmount", "total")]


@pytest.fixture
async def abroad(ana) -> None:
    """Ana is in Vetania, whose general rate is 10 %, and 12 % from the year 2090."""
    ana.team = (await ana.put("/api/teams/current", {"country": "VT", "taxId": "VT1", "timezone": "UTC"}))["team"]


@pytest.mark.usefixtures("abroad")
async def test_the_general_rate_follows_the_day(api):
    draft = await api.invoice(items=[item(quantity=1, unitPrice=100)], taxRate=10)
    with at(2090, 1, 1):
        await api.patch(f"/api/invoices/{draft['id']}/pay")
        issued = await api.get(f"/api/invoices/{draft['id']}")

    assert amounts(draft) == [10, 100, 10, 110]
    assert issued["issueDate"] == "2090-01-01"
    assert amounts(issued) == [12, 100, 12, 112]
    assert (issued["amountPaid"], issued["balance"]) == (112, 0)


@pytest.mark.usefixtures("abroad")
async def test_a_stated_date_keeps_its_rate(api):
    draft = await api.invoice(items=[item(quantity=1, unitPrice=100)], taxRate=10, issueDate="2089-12-31")
    with at(2090, 1, 1):
        await api.patch(f"/api/invoices/{draft['id']}/pay")
        issued = await api.get(f"/api/invoices/{draft['id']}")

    assert (issued["issueDate"], amounts(issued)) == ("2089-12-31", [10, 100, 10, 110])


@pytest.fixture
def offered(api):
    """A draft of 2022 to a retailer, whose goods took 5 % and the surcharge of 0.5 %; in 2023 it is 0.62 %."""

    async def draft(**line):
        with at(2022, 12, 31):
            retailer = await api.post("/api/clients", {**RETAILER, "equivalenceSurcharge": True})
            goods = [item(quantity=1, unitPrice=100, taxRate=5, **line)]
            return await api.post("/api/invoices", {"clientId": retailer["id"], "items": goods, "taxRate": 21})

    return draft


@pytest.mark.usefixtures("unreported")
async def test_a_default_surcharge_follows_the_day(api, offered):
    draft = await offered()
    with at(2023, 1, 1):
        await api.patch(f"/api/invoices/{draft['id']}/pay")
        issued = await api.get(f"/api/invoices/{draft['id']}")

    for invoice, surcharge in ((draft, 0.5), (issued, 0.62)):
        [line] = invoice["items"]
        assert (line["surchargeRate"], line["surchargeByDefault"]) == (surcharge, True)
        assert (invoice["surchargeAmount"], invoice["total"]) == (surcharge, 105 + surcharge)


@pytest.mark.usefixtures("unreported")
async def test_a_stated_surcharge_that_has_ended_is_refused(api, offered):
    draft = await offered(surchargeRate=0.5)
    with at(2023, 1, 1):
        problem = await api.refused(400, "PATCH", f"/api/invoices/{draft['id']}/pay")

    assert [(one["field"], one["code"]) for one in problem["errors"]] == [
        ("items[0].surchargeRate", "TAX_RATE_UNKNOWN")
    ]


async def test_a_rate_of_days_whose_rates_are_not_known_is_taken(ana):
    invoice = await ana.invoice(items=[item(taxRate=18)], issueDate="2012-05-01")

    assert invoice["items"][0]["taxRate"] == 18
