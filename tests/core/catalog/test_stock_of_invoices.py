"""Stock of invoiced items: taken by issuing, given back by voiding, withdrawing and crediting; never moved twice."""

from uuid import UUID, uuid4

import pytest

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from support.api import Api, invoice_body, item
from support.issuing import issued as issue


@pytest.fixture
async def mug(ana):
    return await ana.post("/api/catalog", {"name": "Taza", "stock": 10})


@pytest.fixture
async def shirt(ana):
    sizes = [{"name": "S", "stock": 5}, {"name": "M", "stock": 5}]
    return await ana.post("/api/catalog", {"name": "Camiseta", "variants": sizes})


@pytest.fixture
def stocks(ana):
    async def listed() -> dict[str, float | None]:
        return {one["name"]: one["stock"] for one in await ana.get("/api/catalog?includeInactive=true")}

    return listed


def line(sold, quantity: float = 3, **fields):
    return item(unitPrice=10, quantity=quantity, catalogItemId=sold["id"], **fields)


async def issued(ana, *lines, **fields):
    invoice = await ana.invoice(items=list(lines), **fields)
    return await ana.patch(f"/api/invoices/{invoice['id']}/pay")


async def credited(ana, original, *lines):
    note = await ana.invoice(docType="credit_note", rectifies=original["id"], items=list(lines))
    return await ana.patch(f"/api/invoices/{note['id']}/pay")


async def test_issuing_moves_stock_and_a_draft_does_not(ana, mug, shirt, stocks):
    draft = await ana.invoice(items=[line(mug), line(mug, 0.5), line(shirt, 2, variantIndex=1), item()])
    before = await stocks()

    await ana.patch(f"/api/invoices/{draft['id']}/pay")
    await ana.patch(f"/api/invoices/{draft['id']}/pay")

    assert (before, await stocks()) == ({"Taza": 10, "Camiseta": 10}, {"Taza": 6.5, "Camiseta": 8})
    [listed] = await ana.get("/api/catalog?search=camiseta")
    assert [one["stock"] for one in listed["variants"]] == [5, 3]


async def test_a_copy_and_a_deleted_draft_move_nothing(ana, mug, stocks):
    sold = await issued(ana, line(mug))
    copy = await ana.post(f"/api/invoices/{sold['id']}/duplicate")

    await ana.delete(f"/api/invoices/{copy['id']}")

    assert (await stocks())["Taza"] == 7


@pytest.mark.usefixtures("unreported")
async def test_voiding_gives_stock_back_and_restoring_takes_it_again(ana, mug, stocks):
    sold = await issued(ana, line(mug))
    path, results = f"/api/invoices/{sold['id']}", []

    for _ in range(2):
        await ana.delete(path)
        results.append((await stocks())["Taza"])
        await ana.post(f"{path}/restore")
        await ana.post(f"{path}/restore")
        results.append((await stocks())["Taza"])

    assert results == [10, 7, 10, 7]


@pytest.mark.usefixtures("unreported")
async def test_a_withdrawn_invoice_gives_stock_back_until_it_is_issued_again(ana, kernel, mug, stocks):
    draft = await ana.invoice(items=[line(mug)])
    outside = await accounts.system_context(kernel, UUID(ana.team["id"]))

    row = await issue(kernel, ana, draft)

    async with outside.transaction() as ctx:
        assert await lifecycle.withdraw(ctx, row, Values(InvoiceRow))

    assert (await stocks())["Taza"] == 10
    await ana.patch(f"/api/invoices/{draft['id']}/pay")
    assert (await stocks())["Taza"] == 7


@pytest.mark.usefixtures("unreported")
@pytest.mark.parametrize("signs", [{"quantity": -2}, {"quantity": 2, "unitPrice": -10}])
async def test_a_credit_note_gives_back_its_lines_once(ana, mug, stocks, signs):
    sold = await issued(ana, line(mug))

    note = await credited(ana, sold, {**line(mug), **signs})
    after = (await stocks())["Taza"]
    await ana.delete(f"/api/invoices/{note['id']}")

    assert (after, (await stocks())["Taza"]) == (9, 7)


async def test_a_credit_note_without_items_of_the_catalog_gives_nothing_back(ana, mug, stocks):
    sold = await issued(ana, line(mug))

    await credited(ana, sold, item(unitPrice=-10))

    assert (await stocks())["Taza"] == 7


async def test_negative_lines_of_an_invoice_give_stock_back(ana, mug, stocks):
    await issued(ana, line(mug, 3), line(mug, -1))

    assert (await stocks())["Taza"] == 8


@pytest.mark.usefixtures("unreported")
async def test_changing_an_issued_invoice_moves_the_difference(ana, kernel, mug, shirt, stocks):
    draft = await ana.invoice(items=[line(mug)])
    await issue(kernel, ana, draft)
    path, results = f"/api/invoices/{draft['id']}", []

    for lines in ([line(mug, 5)], [line(mug, 5, description="Otra")], [line(mug, 1), line(shirt, 1, variantIndex=0)]):
        await ana.put(path, {"items": lines})
        results.append(tuple((await stocks()).values()))
    await ana.put(path, {"notes": "Gracias"})
    await ana.delete(path)

    assert results == [(10, 5), (10, 5), (9, 9)]
    assert await stocks() == {"Camiseta": 10, "Taza": 10}


async def test_a_sale_below_zero_is_logged(ana, mug, stocks):
    sold = await issued(ana, line(mug, 12.5))

    assert (sold["status"], (await stocks())["Taza"]) == ("paid", -2.5)
    [entry] = [one for one in await ana.get("/api/invoices/activity/feed") if one["action"] == "stock_below_zero"]
    assert (entry["entityId"], entry["entityLabel"]) == (mug["id"], "Taza")
    assert entry["changes"]["stock"] == {"from": 10, "to": -2.5}
    assert (await ana.patch(f"/api/catalog/{mug['id']}/stock", {"delta": 1}))["stock"] == -1.5


async def test_items_without_stock_can_be_sold(ana, shirt, stocks):
    service = await ana.post("/api/catalog", {"name": "Consultoría", "type": "service"})
    untracked = await ana.post("/api/catalog", {"name": "Café"})
    old = await ana.post("/api/catalog", {"name": "Viejo", "stock": 1})
    await ana.delete(f"/api/catalog/{old['id']}")

    await issued(ana, line(service), line(untracked), line(shirt), line(old))

    assert await stocks() == {"Consultoría": None, "Café": None, "Camiseta": 10, "Viejo": 1}


@pytest.mark.usefixtures("unreported")
async def test_an_item_counted_after_it_was_sold_gets_nothing_back(ana, stocks):
    untracked = await ana.post("/api/catalog", {"name": "Café"})
    sold = await issued(ana, line(untracked))
    await ana.patch(f"/api/catalog/{untracked['id']}/stock", {"stock": 4})

    await ana.delete(f"/api/invoices/{sold['id']}")
    deleted = await stocks()
    await ana.post(f"/api/invoices/{sold['id']}/restore")

    assert deleted == await stocks() == {"Café": 4}


async def test_a_refused_issue_moves_nothing(ana, mug, stocks):
    await issued(ana, item(), issueDate="2026-11-10")
    early = await ana.invoice(items=[line(mug)], issueDate="2026-11-09")

    await ana.refused(400, "PATCH", f"/api/invoices/{early['id']}/pay")

    assert (await stocks())["Taza"] == 10


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_an_unknown_item_is_not_invoiced(ana, berta, mug, method):
    hers = await berta.post("/api/catalog", {"name": "De Berta"})
    draft = await ana.invoice()
    path = "/api/invoices" if method == "POST" else f"/api/invoices/{draft['id']}"

    for wrong in (hers["id"], str(uuid4()), "x"):
        body = invoice_body(items=[line(mug), item(catalogItemId=wrong)])
        problem = await ana.refused(404, method, path, body)

        assert [error["field"] for error in problem["errors"]] == ["items[1].catalogItemId"]
    for lines in ([line(mug, variantIndex=0)], [item(variantIndex=0)]):
        problem = await ana.refused(400, method, path, invoice_body(items=lines))

        assert [error["field"] for error in problem["errors"]] == ["items[0].variantIndex"]


async def test_a_preview_checks_items_and_moves_nothing(ana, mug, stocks):
    await ana.post("/api/invoices/preview", invoice_body(items=[line(mug)]))

    await ana.refused(404, "POST", "/api/invoices/preview", invoice_body(items=[item(catalogItemId="x")]))
    assert (await stocks())["Taza"] == 10


class TestEmitted:
    async def test_what_is_emitted_leaves_once_and_stays_away_when_hidden(self, live):
        ana = await live_account(live)
        mug = await ana.post("/api/catalog", {"name": "Taza", "stock": 10})
        draft = await ana.invoice(items=[line(mug)])

        for _ in range(2):
            await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
        await ana.delete(f"/api/invoices/{draft['id']}")
        await ana.post(f"/api/invoices/{draft['id']}/restore")

        assert (await ana.get("/api/catalog"))[0]["stock"] == 7


async def live_account(client):
    return await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
