"""Stock of a till: a sale takes goods out once, and a refund brings them back (interface decisions E10, N)."""

from uuid import UUID

import pytest

from support.api import Api, item
from support.database import row_counts

REGISTERS = "/api/cash-register"


@pytest.fixture
async def seller(client) -> Api:
    """Somebody without a tax id: no invoices are made."""
    return await Api.with_team(client, "eva@example.com", "Eva", None)


@pytest.fixture(params=["12345678Z", None], ids=["invoicing", "not invoicing"])
async def api(client, request) -> Api:
    """Somebody whose sales are invoiced, and somebody whose are not."""
    return await Api.with_team(client, "iris@example.com", "Iris", request.param)


async def stored(api: Api, **fields):
    plain = {"type": "product", "name": "Camiseta", "unitPrice": 10, "taxRate": 21, "stock": 5}
    return await api.post("/api/catalog", {**plain, **fields})


async def opened(api: Api, **fields) -> str:
    register = await api.post(REGISTERS, {"openingAmount": 0, **fields})
    return f"{REGISTERS}/{register['id']}/movement"


def moved(kind: str, amount: float, *lines, **fields):
    return {"type": kind, "amount": amount, "description": "Caja", "lineItems": list(lines), **fields}


async def level(api: Api, known) -> float:
    [answer] = [one for one in await api.get("/api/catalog") if one["id"] == known["id"]]
    return answer["stock"]


async def test_a_sale_takes_its_goods_out_of_the_stock_once(api):
    shirt = await stored(api)
    path = await opened(api)

    sold = await api.post(path, moved("sale", 24.2, {"catalogItemId": shirt["id"], "quantity": 2}))

    assert (sold["movements"][0]["invoiceId"] is not None) == bool(api.team["taxId"])
    assert (await level(api, shirt), sold["warnings"]) == (3, [])


async def test_a_refund_brings_its_goods_back(api):
    shirt = await stored(api)
    path = await opened(api)
    line = {"catalogItemId": shirt["id"], "quantity": 2}
    sold = await api.post(path, moved("sale", 24.2, line))

    link = sold["movements"][0]["invoiceId"]
    await api.post(path, moved("refund", 12.1, {**line, "quantity": 1}, invoiceId=link))

    assert await level(api, shirt) == 4


async def test_a_sale_of_an_invoice_leaves_the_stock_to_the_invoice(ana):
    shirt = await stored(ana)
    path = await opened(ana)
    invoice = await ana.invoice(items=[item(unitPrice=10, catalogItemId=shirt["id"])])
    line = {"catalogItemId": shirt["id"]}

    await ana.post(path, moved("sale", 12.1, line, invoiceId=invoice["id"]))
    before = await level(ana, shirt)
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")

    assert (before, await level(ana, shirt)) == (5, 4)


async def test_a_sale_below_zero_is_made_with_a_warning(api):
    shirt = await stored(api, stock=1)
    path = await opened(api)

    sold = await api.post(path, moved("sale", 36.3, {"catalogItemId": shirt["id"], "quantity": 3}))

    assert sold["warnings"] == ["The stock of Camiseta fell to -2."]
    assert (await level(api, shirt), (await api.get(f"{REGISTERS}/current"))["warnings"]) == (-2, [])


async def test_a_variant_is_sold_from_its_own_stock_at_its_own_price(api):
    sizes = [{"name": "S", "stock": 3}, {"name": "M", "stock": 4, "unitPrice": 20}]
    shirt = await stored(api, variants=sizes)
    path = await opened(api)

    sold = await api.post(path, moved("sale", 24.2, {"catalogItemId": shirt["id"], "variantIndex": 1}))

    [line] = sold["movements"][0]["lineItems"]
    assert (line["description"], line["unitPrice"], line["variantIndex"]) == ("Camiseta (M)", 20, 1)
    [now] = await api.get("/api/catalog")
    assert [one["stock"] for one in now["variants"]] == [3, 3]


async def test_what_a_line_leaves_out_is_the_items(seller):
    shirt = await stored(seller, taxRate=4)
    path = await opened(seller)

    plain = await seller.post(path, moved("sale", 10.4, {"catalogItemId": shirt["id"]}))
    sent = {"catalogItemId": shirt["id"], "description": "Camiseta azul", "unitPrice": 8, "taxRate": 10}
    answer = await seller.post(path, moved("sale", 8.8, sent))

    shown = ("description", "quantity", "unitPrice", "taxRate")
    assert [plain["movements"][0]["lineItems"][0][name] for name in shown] == ["Camiseta", 1, 10, 4]
    assert [answer["movements"][1]["lineItems"][0][name] for name in shown] == ["Camiseta azul", 1, 8, 10]


async def test_a_line_without_item_is_called_as_the_movement(seller):
    path = await opened(seller)

    sold = await seller.post(path, moved("sale", 5, {"unitPrice": 5}))

    assert sold["movements"][0]["lineItems"][0]["description"] == "Caja"


async def test_a_price_in_another_currency_is_not_taken_over(seller):
    shirt = await stored(seller, currency="USD")
    path = await opened(seller)

    problem = await seller.refused(400, "POST", path, moved("sale", 12.1, {"catalogItemId": shirt["id"]}))
    await seller.post(path, moved("sale", 12.1, {"catalogItemId": shirt["id"], "unitPrice": 10}))

    assert problem["errors"][0]["field"] == "lineItems[0].unitPrice"
    assert "USD" in problem["detail"]


async def test_services_and_what_is_not_counted_are_sold_without_stock(seller):
    path = await opened(seller)
    service = await stored(seller, type="service", stock=None, name="Arreglo")
    uncounted = await stored(seller, stock=None, name="Bolsa")

    lines = [{"catalogItemId": one["id"]} for one in (service, uncounted)]
    sold = await seller.post(path, moved("sale", 24.2, *lines))

    assert (sold["warnings"], await level(seller, service), await level(seller, uncounted)) == ([], None, None)


@pytest.mark.parametrize("known", ["nonsense", str(UUID(int=7)), "foreign"])
async def test_an_unknown_catalog_item_is_a_404_by_its_field(kernel, seller, berta, known):
    path = await opened(seller)
    if known == "foreign":
        known = (await stored(berta))["id"]
    before = await row_counts(kernel)

    body = moved("sale", 5, {"unitPrice": 2}, {"unitPrice": 3, "catalogItemId": known})
    problem = await seller.refused(404, "POST", path, body)

    assert [error["field"] for error in problem["errors"]] == ["lineItems[1].catalogItemId"]
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("line", [{"variantIndex": 0}, {"variantIndex": 0, "unitPrice": 1}])
async def test_a_variant_that_is_not_there_is_refused(seller, line):
    shirt = await stored(seller)
    path = await opened(seller)

    for fields in (line, {**line, "catalogItemId": shirt["id"]}):
        problem = await seller.refused(400, "POST", path, moved("sale", 1, fields))

        assert problem["errors"][0]["field"] == "lineItems[0].variantIndex"


async def test_a_refused_sale_leaves_the_stock(ana):
    shirt = await stored(ana, unitPrice=5000)
    path = await opened(ana)

    await ana.refused(400, "POST", path, moved("sale", 5000, {"catalogItemId": shirt["id"]}))

    assert await level(ana, shirt) == 5
