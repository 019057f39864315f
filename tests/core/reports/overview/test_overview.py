"""Overview: today's figures and what waits, as far as the role may read it."""

from datetime import UTC, datetime

import pytest
import time_machine

from support.api import PASSWORD, Api
from support.database import set_role


@pytest.fixture
async def overview(studio):
    """Answer of the overview after a month with sales, purchases and low stock."""
    await studio.sold(200, "2026-08-02", paid_at="2026-11-05")
    await studio.sold(300, "2026-08-02", paid_at="2026-10-31")
    await studio.sold(1000, "2026-09-01", dueDate="2026-10-01")
    await studio.sold(100, "2026-11-02", dueDate="2026-12-02")
    await studio.spend(121, "2026-11-03")
    await studio.owe("2026-11-04", dueDate="2026-11-25")
    await studio.owe("2026-09-04", dueDate="2026-10-25")
    product = {"name": "Cinta", "type": "product", "unitPrice": 3, "stock": 1, "lowStockThreshold": 5}
    await studio.post("/api/catalog", product)
    return await studio.get("/api/reports/overview")


async def test_figures_are_those_of_the_reports(studio, overview):
    assert overview["asOf"] == "2026-11-21"
    assert overview["receivable"]["notYetDue"] == {"count": 1, "amount": 121}
    assert overview["receivable"]["overdue"] == {"count": 1, "amount": 1210, "oldestDays": 51}
    assert overview["received"] == {"from": "2026-11-01", "to": "2026-11-30", "amount": 242}
    month = {"from": "2026-11-01", "to": "2026-11-30"}
    assert overview["costs"] == month | {"amount": 200, "expenses": 100, "supplierInvoices": 100}
    report = await studio.report("profit-loss", **month)
    assert report["expenses"] == overview["costs"]["amount"]


async def test_every_figure_has_its_list(studio, overview):
    month = "paidFrom=2026-11-01&paidTo=2026-11-30"
    paid = await studio.get(f"/api/invoices?{month}")
    late = await studio.get("/api/invoices?status=overdue")

    assert [invoice["total"] for invoice in paid] == [overview["received"]["amount"]]
    assert [invoice["id"] for invoice in late] == [one["id"] for one in overview["overdueInvoices"]["invoices"]]
    assert len(await studio.get("/api/invoices?paidTo=2026-10-31")) == 1


async def test_what_waits_is_named(overview):
    assert overview["overdueInvoices"]["count"] == 1
    assert overview["overdueInvoices"]["invoices"][0]["days"] == 51
    assert (overview["bills"]["count"], overview["bills"]["overdueCount"]) == (1, 1)
    assert overview["bills"]["bills"][0]["dueDate"] == "2026-11-25"
    assert [one["name"] for one in overview["lowStock"]["items"]] == ["Cinta"]
    assert overview["fiscal"]["needsAction"] == 0


async def test_the_vat_is_that_of_the_quarter_to_file_next(studio, overview):
    assert (overview["vat"]["year"], overview["vat"]["quarter"]) == (2026, 4)
    assert overview["vat"]["dueDate"] == "2027-02-01"
    assert overview["vat"]["balance"] == (await studio.report("vat-balance"))["balance"]


async def test_the_last_quarter_stays_until_its_day_is_over(studio):
    with time_machine.travel(datetime(2026, 10, 20, 12, tzinfo=UTC)):
        assert (await studio.get("/api/reports/overview"))["vat"]["quarter"] == 3
    with time_machine.travel(datetime(2026, 10, 21, 12, tzinfo=UTC)):
        assert (await studio.get("/api/reports/overview"))["vat"]["quarter"] == 4


async def test_a_role_sees_only_what_it_may_read(studio, overview, other):
    await set_role(studio.kernel, team_id=studio.team["id"], user_email="berta@example.com", role="member")
    berta = await other.post("/auth/login", {"email": "berta@example.com", "password": PASSWORD})
    member = Api(other.client, {"authorization": f"Bearer {berta['token']}", "x-team-id": studio.team["id"]})

    shown = await member.get("/api/reports/overview")

    hidden = {"receivable", "received", "costs", "vat", "bills", "fiscal"}
    assert {name for name, part in shown.items() if part is None} == hidden
    assert shown["overdueInvoices"] == overview["overdueInvoices"]


async def test_another_account_sees_nothing_of_it(overview, other):
    seen = await other.get("/api/reports/overview")

    assert seen["receivable"]["notYetDue"] == {"count": 0, "amount": 0}
    assert (seen["overdueInvoices"], seen["lowStock"]) == ({"count": 0, "invoices": []}, {"count": 0, "items": []})
