"""Bad requests: each is told what is wrong with which field and what to do, and leaves nothing behind."""

from typing import Any
from uuid import uuid4

import pytest

from support.api import PASSWORD, Api, invoice_body, item
from support.database import row_counts
from support.problems import unhelpful


def with_item(**fields: Any) -> dict[str, Any]:
    return invoice_body(items=[item(**fields)])


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


INVOICES: list[tuple[str, dict[str, Any], str]] = [
    ("no client", without(invoice_body(), "client"), "client"),
    ("no items", without(invoice_body(), "items"), "items"),
    ("empty items", invoice_body(items=[]), "items"),
    ("null items", invoice_body(items=None), "items"),
    ("items of null", invoice_body(items=[None]), "items[0]"),
    ("items that are no list", invoice_body(items={"description": "x"}), "items"),
    ("a client that is a text", invoice_body(client="Talleres"), "client"),
    ("a client without name", invoice_body(client={"taxId": "B12345674"}), "client.name"),
    ("a client with a blank name", invoice_body(client={"name": "   "}), "client.name"),
    ("a client with a long name", invoice_body(client={"name": "x" * 121}), "client.name"),
    ("a number as name", invoice_body(client={"name": 7}), "client.name"),
    ("a wrong NIF letter", invoice_body(client={"name": "Ana", "taxId": "12345678A"}), "client.taxId"),
    ("a wrong CIF digit", invoice_body(client={"name": "Ana", "taxId": "B12345678"}), "client.taxId"),
    ("a wrong country", invoice_body(client={"name": "Ana", "country": "Spain"}), "client.country"),
    ("a wrong e-mail", invoice_body(client={"name": "Ana", "email": "ana"}), "client.email"),
    ("no description", invoice_body(items=[{"unitPrice": 1}]), "items[0].description"),
    ("a blank description", with_item(description=" \n "), "items[0].description"),
    ("a long description", with_item(description="x" * 1001), "items[0].description"),
    ("no price", invoice_body(items=[{"description": "x"}]), "items[0].unitPrice"),
    ("a price as text", with_item(unitPrice="12.50"), "items[0].unitPrice"),
    ("a price as boolean", with_item(unitPrice=True), "items[0].unitPrice"),
    ("a null price", with_item(unitPrice=None), "items[0].unitPrice"),
    ("a price of five decimals", with_item(unitPrice=0.12345), "items[0].unitPrice"),
    ("a price of sixteen digits", with_item(unitPrice=1234567890123456), "items[0].unitPrice"),
    ("a price above the highest", with_item(unitPrice=100000000), "items[0].unitPrice"),
    ("a quantity of five decimals", with_item(quantity=1.00001), "items[0].quantity"),
    ("a quantity above the highest", with_item(quantity=10000000), "items[0].quantity"),
    ("a quantity as text", with_item(quantity="2"), "items[0].quantity"),
    ("a total above the highest", with_item(quantity=9999999, unitPrice=99999999), "items"),
    ("a negative invoice", with_item(unitPrice=-10), "items"),
    ("a negative base of one rate", invoice_body(items=[item(), item(unitPrice=-1, taxRate=10)]), "items"),
    ("a discount above a hundred", with_item(discount=100.5), "items[0].discount"),
    ("a negative discount", with_item(discount=-1), "items[0].discount"),
    ("a tax rate never in force", invoice_body(taxRate=20), "taxRate"),
    ("a line's tax rate never in force", with_item(taxRate=16), "items[0].taxRate"),
    ("a tax rate over since", invoice_body(taxRate=5, issueDate="2024-12-02"), "taxRate"),
    ("a tax rate not yet in force", invoice_body(taxRate=7.5, issueDate="2024-09-30"), "taxRate"),
    ("a negative tax rate", invoice_body(taxRate=-21), "taxRate"),
    ("a tax rate of four decimals", invoice_body(taxRate=21.0001), "taxRate"),
    ("a rate on an exempt line", with_item(taxCategory="exempt", taxRate=21), "items[0].taxRate"),
    ("a surcharge of another rate", with_item(taxRate=10, surchargeRate=5.2), "items[0].surchargeRate"),
    ("an unknown category", with_item(taxCategory="free"), "items[0].taxCategory"),
    ("an unknown exemption", with_item(taxCategory="exempt", exemptionCode="E9"), "items[0].exemptionCode"),
    ("an unknown regime", with_item(regimeKey="99"), "items[0].regimeKey"),
    ("a retention above a hundred", invoice_body(retentionRate=101), "retentionRate"),
    ("a negative retention", invoice_body(retentionRate=-1), "retentionRate"),
    ("a day that does not exist", invoice_body(issueDate="2026-02-30"), "issueDate"),
    ("the 29th of February 2025", invoice_body(issueDate="2025-02-29"), "issueDate"),
    ("a day in Spanish order", invoice_body(issueDate="21/11/2026"), "issueDate"),
    ("a day of the last century", invoice_body(issueDate="1999-12-31"), "issueDate"),
    ("a day of the next century", invoice_body(issueDate="2101-01-01"), "issueDate"),
    ("an instant as a day", invoice_body(issueDate="2026-11-21T10:00:00Z"), "issueDate"),
    ("due before issued", invoice_body(issueDate="2026-11-02", dueDate="2026-11-01"), "dueDate"),
    ("an unknown kind", invoice_body(docType="receipt"), "docType"),
    ("a currency in words", invoice_body(currency="euro"), "currency"),
    ("long notes", invoice_body(notes="x" * 5001), "notes"),
    ("NUL in a text", with_item(description="a\x00b"), "items[0].description"),
    ("a control character in a text", with_item(description="a\x01b"), "items[0].description"),
    ("NUL in a name", invoice_body(client={"name": "a\x00b"}), "client.name"),
    ("NUL in notes", invoice_body(notes="\x00"), "notes"),
    ("a variant below zero", with_item(variantIndex=-1), "items[0].variantIndex"),
    ("a thousand and one lines", invoice_body(items=[item()] * 1001), "items"),
    ("ten thousand lines", invoice_body(items=[item()] * 10000), "items"),
    ("correcting from an invoice", invoice_body(rectifies=str(uuid4())), "rectifies"),
]

CLIENTS: list[tuple[str, dict[str, Any], str]] = [
    ("no name", {"taxId": "B12345674"}, "name"),
    ("a null name", {"name": None}, "name"),
    ("a wrong NIF letter", {"name": "Ana", "taxId": "00000000A"}, "taxId"),
    ("an unknown language", {"name": "Ana", "language": "eu"}, "language"),
    ("a term beyond a year", {"name": "Ana", "paymentTermDays": 366}, "paymentTermDays"),
    ("a term in halves", {"name": "Ana", "paymentTermDays": 1.5}, "paymentTermDays"),
    ("a rate above a hundred", {"name": "Ana", "defaultTaxRate": 101}, "defaultTaxRate"),
    ("offices in a text", {"name": "Ana", "dir3": "L01"}, "dir3"),
    ("a wrong e-mail", {"name": "Ana", "email": "a@b@c"}, "email"),
    ("a surcharge in words", {"name": "Ana", "equivalenceSurcharge": "maybe"}, "equivalenceSurcharge"),
]

VENDORS: list[tuple[str, dict[str, Any], str]] = [
    ("no name", {"taxId": "B12345674"}, "name"),
    ("a blank name", {"name": " "}, "name"),
    ("a long name", {"name": "x" * 121}, "name"),
    ("a wrong NIF letter", {"name": "Sol", "taxId": "00000000A"}, "taxId"),
    ("a wrong IBAN", {"name": "Sol", "iban": "ES0000000000000000000000"}, "iban"),
    ("a term beyond a year", {"name": "Sol", "paymentTermDays": 366}, "paymentTermDays"),
    ("a blank category", {"name": "Sol", "defaultCategory": " "}, "defaultCategory"),
    ("a long category", {"name": "Sol", "defaultCategory": "x" * 61}, "defaultCategory"),
    ("a rate above a hundred", {"name": "Sol", "defaultTaxRate": 100.1}, "defaultTaxRate"),
    ("a wrong e-mail", {"name": "Sol", "email": "a@b@c"}, "email"),
]


def spent(**fields: Any) -> dict[str, Any]:
    return {"description": "Licencia", "amount": 121, "taxRate": 21, "date": "2026-11-02", **fields}


EXPENSES: list[tuple[str, dict[str, Any], str]] = [
    ("no description", without(spent(), "description"), "description"),
    ("a blank description", spent(description=" "), "description"),
    ("a long description", spent(description="x" * 1001), "description"),
    ("no amount", without(spent(), "amount"), "amount"),
    ("a null amount", spent(amount=None), "amount"),
    ("an amount as text", spent(amount="121"), "amount"),
    ("an amount of three decimals", spent(amount=1.001), "amount"),
    ("an amount above the highest", spent(amount=10000000000), "amount"),
    ("a negative amount", spent(amount=-0.01), "amount"),
    ("a credit note that costs", spent(docType="credit_note"), "amount"),
    ("no date", without(spent(), "date"), "date"),
    ("a day that does not exist", spent(date="2026-02-30"), "date"),
    ("a day of the last century", spent(date="1999-12-31"), "date"),
    ("a negative rate", spent(taxRate=-1), "taxRate"),
    ("a rate above a hundred", spent(taxRate=101), "taxRate"),
    ("VAT of another rate", spent(taxAmount=11), "taxAmount"),
    ("a retention above a hundred", spent(retentionRate=101), "retentionRate"),
    ("a currency in words", spent(currency="euro"), "currency"),
    ("another currency without its rate", spent(currency="USD"), "exchangeRate"),
    ("a rate of nine decimals", spent(currency="USD", exchangeRate=0.123456789), "exchangeRate"),
    ("a share above a hundred", spent(deductiblePercent=100.5), "deductiblePercent"),
    ("a share in words", spent(incomeTaxPercent="all"), "incomeTaxPercent"),
    ("an unknown kind", spent(docType="ticket"), "docType"),
    ("an unknown place", spent(intraEu="both"), "intraEu"),
    ("an unknown source", spent(source="fax"), "source"),
    ("an unknown status", spent(status="late"), "status"),
    ("received before its date", spent(receptionDate="2026-11-01"), "receptionDate"),
    ("deducted before received", spent(deductionDate="2026-11-01"), "deductionDate"),
    ("pending and paid", spent(status="pending", paidAt="2026-11-03"), "paidAt"),
    ("a blank category", spent(category=""), "category"),
    ("a long category", spent(category="x" * 61), "category"),
    ("a long vendor", spent(vendor="x" * 121), "vendor"),
    ("a wrong NIF letter", spent(vendor="Sol", vendorTaxId="00000000A"), "vendorTaxId"),
    ("a country in words", spent(vendorCountry="Spain"), "vendorCountry"),
    ("a script as receipt", spent(receiptUrl="javascript:alert(1)"), "receiptUrl"),
    ("a long key", spent(regimeKey="00001"), "regimeKey"),
    ("long notes", spent(notes="x" * 5001), "notes"),
    ("NUL in a text", spent(description="a\x00b"), "description"),
    ("a yes in words", spent(deductible="maybe"), "deductible"),
]

TEAMS: list[tuple[str, dict[str, Any], str]] = [
    ("no name", {"country": "ES"}, "name"),
    ("no country", {"name": "Estudio"}, "country"),
    ("a wrong tax id", {"name": "Estudio", "country": "ES", "taxId": "12345678A"}, "taxId"),
    ("an unknown time zone", {"name": "Estudio", "country": "ES", "timezone": "Mars/Olympus"}, "timezone"),
    ("a wrong IBAN", {"name": "Estudio", "country": "ES", "iban": "ES0000000000000000000000"}, "iban"),
    ("a logo that is no picture", {"name": "Estudio", "country": "ES", "logo": "data:image/png;base64,AAAA"}, "logo"),
    ("a logo of another kind", {"name": "Estudio", "country": "ES", "logo": "data:image/svg+xml;base64,AAAA"}, "logo"),
    ("a series in small letters", {"name": "Estudio", "country": "ES", "series": {"invoice": "f"}}, "series.invoice"),
]

USERS: list[tuple[str, dict[str, Any], str]] = [
    ("no e-mail", {"password": PASSWORD}, "email"),
    ("no password", {"email": "eva@example.com"}, "password"),
    ("a wrong e-mail", {"email": "eva", "password": PASSWORD}, "email"),
    ("an endless password", {"email": "eva@example.com", "password": "x" * 1025}, "password"),
    ("a country in words", {"email": "eva@example.com", "password": PASSWORD, "country": "Spain"}, "country"),
    ("an e-mail as list", {"email": ["eva@example.com"], "password": PASSWORD}, "email"),
]

TASKS: list[tuple[str, dict[str, Any], str]] = [
    ("no title", {"status": "todo"}, "title"),
    ("a blank title", {"title": " "}, "title"),
    ("a title of 201", {"title": "x" * 201}, "title"),
    ("NUL in a title", {"title": "a\x00b"}, "title"),
    ("a description of 5001", {"title": "x", "description": "x" * 5001}, "description"),
    ("an unknown status", {"title": "x", "status": "blocked"}, "status"),
    ("a null status", {"title": "x", "status": None}, "status"),
    ("an unknown priority", {"title": "x", "priority": "highest"}, "priority"),
    ("a day that does not exist", {"title": "x", "dueDate": "2026-02-30"}, "dueDate"),
    ("a day of the last century", {"title": "x", "dueDate": "1999-12-31"}, "dueDate"),
    ("tags in a text", {"title": "x", "tags": "web"}, "tags"),
    ("a blank tag", {"title": "x", "tags": ["web", " "]}, "tags[1]"),
    ("a tag of 51", {"title": "x", "tags": ["x" * 51]}, "tags[0]"),
    ("twenty-one tags", {"title": "x", "tags": [str(n) for n in range(21)]}, "tags"),
    ("a place between places", {"title": "x", "position": 1.5}, "position"),
    ("a place below zero", {"title": "x", "position": -1}, "position"),
    ("an assignee in numbers", {"title": "x", "assignedTo": 7}, "assignedTo"),
    ("a stranger", {"title": "x", "assignedTo": str(uuid4())}, "assignedTo"),
]

SHADES = [{"name": "S"}]
ITEMS: list[tuple[str, dict[str, Any], str]] = [
    ("no name", {"unitPrice": 1}, "name"),
    ("a blank name", {"name": " "}, "name"),
    ("a long name", {"name": "x" * 121}, "name"),
    ("an unknown type", {"name": "Taza", "type": "goods"}, "type"),
    ("a null type", {"name": "Taza", "type": None}, "type"),
    ("a price as text", {"name": "Taza", "unitPrice": "1,5"}, "unitPrice"),
    ("a null price", {"name": "Taza", "unitPrice": None}, "unitPrice"),
    ("a price of five decimals", {"name": "Taza", "unitPrice": 0.00001}, "unitPrice"),
    ("a cost above the highest", {"name": "Taza", "cost": 100000000}, "cost"),
    ("a tax rate above a hundred", {"name": "Taza", "taxRate": 101}, "taxRate"),
    ("a stock as text", {"name": "Taza", "stock": "5"}, "stock"),
    ("a stock of five decimals", {"name": "Taza", "stock": 0.00001}, "stock"),
    ("a stock below zero", {"name": "Taza", "stock": -1}, "stock"),
    ("a stock above the highest", {"name": "Taza", "stock": 100000000000}, "stock"),
    ("a threshold above the highest", {"name": "Taza", "lowStockThreshold": 10000000}, "lowStockThreshold"),
    ("a currency in words", {"name": "Taza", "currency": "euro"}, "currency"),
    ("an activity in words", {"name": "Taza", "isActive": "perhaps"}, "isActive"),
    ("a long description", {"name": "Taza", "description": "x" * 5001}, "description"),
    ("a long sku", {"name": "Taza", "sku": "x" * 201}, "sku"),
    ("NUL in a category", {"name": "Taza", "category": "a\x00b"}, "category"),
    ("variants that are no list", {"name": "Taza", "variants": {"name": "S"}}, "variants"),
    ("a variant that is a text", {"name": "Taza", "variants": ["S"]}, "variants[0]"),
    ("a variant without name", {"name": "Taza", "variants": [*SHADES, {"stock": 1}]}, "variants[1].name"),
    ("a variant below zero", {"name": "Taza", "variants": [{"name": "S", "stock": -1}]}, "variants[0].stock"),
    (
        "attributes in a text",
        {"name": "Taza", "variants": [{"name": "S", "attributes": "M"}]},
        "variants[0].attributes",
    ),
    ("too many variants", {"name": "Taza", "variants": SHADES * 201}, "variants"),
    ("a sum above the highest", {"name": "Taza", "variants": [{"name": n, "stock": 6e10} for n in "SM"]}, "variants"),
]

AREAS = {
    "/api/catalog": ITEMS,
    "/api/invoices": INVOICES,
    "/api/clients": CLIENTS,
    "/api/teams": TEAMS,
    "/api/tasks": TASKS,
    "/auth/register": USERS,
}


@pytest.mark.parametrize("path", AREAS)
async def test_a_wrong_field_is_named_and_nothing_is_kept(kernel, ana, path):
    before, seen = await row_counts(kernel), {}

    for name, sent, field in AREAS[path]:
        problem = await ana.refused(400, "POST", path, sent)
        named = [error["field"] for error in problem["errors"]]
        seen[name] = field if field in named and not unhelpful(problem, path) else problem

    assert seen == {name: field for name, _, field in AREAS[path]}
    assert await row_counts(kernel) == before


IN_NEW_ONES_ONLY = {"no client", "no items", "null items", "an unknown kind", "correcting from an invoice"}


async def test_changes_are_judged_like_new_invoices(kernel, ana):
    draft = await ana.invoice()
    before, seen = await row_counts(kernel), {}
    cases = [case for case in INVOICES if case[0] not in IN_NEW_ONES_ONLY]

    for name, sent, field in cases:
        problem = await ana.refused(400, "PUT", f"/api/invoices/{draft['id']}", sent)
        seen[name] = field if field in [error["field"] for error in problem["errors"]] else problem

    assert seen == {name: field for name, _, field in cases}
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert await row_counts(kernel) == before


async def test_changes_are_judged_like_new_expenses(kernel, ana):
    made = await ana.post("/api/expenses", spent())
    before, seen = await row_counts(kernel), {}
    cases = [case for case in EXPENSES if not case[0].startswith("no ")]

    for name, sent, field in cases:
        problem = await ana.refused(400, "PUT", f"/api/expenses/{made['id']}", sent)
        seen[name] = field if field in [error["field"] for error in problem["errors"]] else problem

    assert seen == {name: field for name, _, field in cases}
    assert await ana.get(f"/api/expenses/{made['id']}") == made
    assert await row_counts(kernel) == before


# ---------------------------------------------------------------- what looks odd and is right


async def test_a_thousand_lines_are_an_invoice(ana):
    made = await ana.invoice(items=[item(unitPrice=1)] * 1000)

    assert (len(made["items"]), made["total"]) == (1000, 1210)


async def test_unknown_fields_are_ignored(ana):
    sent = invoice_body(colour="red", id="mine", number="F2026-9999", status="paid", total=1)

    made = await ana.post("/api/invoices", sent)

    assert (made["number"], made["status"], made["total"]) == (None, "draft", 1452)
    assert made["id"] != "mine"
    assert "colour" not in made


async def test_of_duplicate_keys_the_last_counts(ana):
    content = b'{"name": "First", "name": "Second"}'

    answer = await ana.client.post(
        "/api/clients", content=content, headers={**ana.headers, "Content-Type": "application/json"}
    )

    assert answer.json()["name"] == "Second"


NAMES = [
    "Café Ñandú & Söhne, S.L.",
    "東京株式会社",
    "🍕 Pizzería 👨‍👩‍👧‍👦",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</text:p>]]> & <!-- x -->",
    "{{ 7*7 }} {% raw %} ${7*7}",
    "'; drop table invoice; --",
    "\u202ereversed\u202c",
    "שלום עולם",
]


@pytest.mark.parametrize("name", NAMES)
async def test_names_stay_whole_everywhere(ana, client, name):
    made = await ana.invoice(client={"name": name}, items=[item(description=name)], notes=name)

    one = await ana.get(f"/api/invoices/{made['id']}")
    [listed] = await ana.get("/api/invoices")
    [known] = await ana.get("/api/clients")
    link = await ana.post(f"/api/invoices/{made['id']}/share")
    page = await client.get(f"/s/{link['shareToken']}")

    assert {name} == {one["client"]["name"], one["items"][0]["description"], one["notes"], known["name"]}
    assert listed == {**one, "shareToken": None, "shareUrl": None}
    assert page.status_code == 200
    assert "<script" not in page.text
    assert "<img" not in page.text.replace('<img class="logo"', "")


# ---------------------------------------------------------------- fiscal preconditions


async def test_an_issue_date_before_the_series_last_is_refused(kernel, ana):
    last = await ana.invoice(issueDate="2026-11-10")
    await ana.patch(f"/api/invoices/{last['id']}/pay")
    early = await ana.invoice(issueDate="2026-11-09")
    early = await ana.get(f"/api/invoices/{early['id']}")  # with what there is to know before its issue
    before = await row_counts(kernel)

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{early['id']}/pay")

    assert (problem["code"], problem["errors"][0]["field"]) == ("ISSUE_DATE_BEFORE_LAST", "issueDate")
    assert await ana.get(f"/api/invoices/{early['id']}") == early
    assert await row_counts(kernel) == before


async def test_emitting_without_a_tax_id_of_ones_own_is_refused(kernel, client):
    eva = await Api.with_team(client, "eva@example.com", "Eva", None)
    draft = await eva.invoice()
    before = await row_counts(kernel)

    problem = await eva.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert problem["code"] == "ISSUER_INCOMPLETE"
    assert "/api/teams/current" in problem["remedy"]
    assert await eva.get(f"/api/invoices/{draft['id']}") == draft
    assert await row_counts(kernel) == before


async def test_an_unknown_invoice_is_not_emitted(ana):
    for sent in ({"invoiceId": str(uuid4())}, {"invoiceId": "x"}):
        problem = await ana.refused(404, "POST", "/api/einvoice/emit", sent)

        assert problem["code"] == "NOT_FOUND"
