"""One search over all records: what finds what, who sees it, and within which bounds."""

import pytest

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import search as words
from ledgerkit.core.searching import queries
from support.api import CLIENT, Api
from support.database import set_role
from support.periods import YEAR
from support.scopes import with_scoped_key

PATH = "/api/search"


async def find(api: Api, q: str, **query: object) -> dict:
    answer = await api.client.get(PATH, params={"q": q, **query}, headers=api.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def labels(api: Api, q: str, **query: object) -> list[tuple[str, str]]:
    return [(hit["type"], hit["label"]) for hit in (await find(api, q, **query))["items"]]


@pytest.fixture
async def books(ana) -> dict:
    """One record of each type about the canteen."""
    vendor = await ana.post("/api/vendors", {"name": "Cafés Cantábrico, S.L.", "city": "Santander"})
    client = await ana.post("/api/clients", {"name": "Cantina Peñón", "taxId": "B12345674", "city": "Vigo"})
    line = {"description": "Menús de cantina", "quantity": 1, "unitPrice": 1020.3, "taxRate": 21}
    invoice = await ana.invoice(client=None, clientId=client["id"], items=[line], retentionRate=0)
    expense = {"description": "Vajilla cantina", "amount": 60.5, "taxRate": 21, "date": "2026-11-02"}
    bill = {"vendorId": vendor["id"], "invoiceNumber": "CC-77", "invoiceDate": "2026-11-02"}
    bill |= {"items": [{"description": "Café para la cantina", "quantity": 1, "unitPrice": 100, "taxRate": 21}]}
    return {
        "client": client["id"],
        "invoice": invoice["id"],
        "vendor": vendor["id"],
        "supplier_invoice": (await ana.post("/api/supplier-invoices", bill))["id"],
        "expense": (await ana.post("/api/expenses", expense))["id"],
        "catalog_item": (await ana.post("/api/catalog", {"name": "Menú de cantina", "unitPrice": 12}))["id"],
        "task": (await ana.post("/api/tasks", {"title": "Llamar", "description": "a la CANTINA"}))["id"],
        "context_entry": (await ana.put("/api/context/entry", {"key": "canteen", "content": "La cantina paga tarde"}))[
            "entry"
        ]["key"],
    }


async def test_every_type_is_found_whatever_case_and_accents(ana, books):
    hits = (await find(ana, "CANTÍNA"))["items"]

    assert {hit["type"]: hit["id"] for hit in hits} == {
        name: record_id for name, record_id in books.items() if name != "vendor"
    }
    assert [hit["type"] for hit in hits] == [name for name in books if name != "vendor"]
    assert (
        await labels(ana, "cafes canta") == [("vendor", "Cafés Cantábrico, S.L.")] + [("supplier_invoice", "CC-77")] * 1
    )


async def test_a_line_tells_a_hit_apart(ana, books):
    of = {hit["type"]: hit["detail"] for hit in (await find(ana, "cantina"))["items"]}

    assert of["client"] == "B12345674 · Vigo"
    assert of["supplier_invoice"].startswith("Cafés Cantábrico, S.L. · 2026-11-02 · 121.00 EUR · ")
    assert of["invoice"].endswith("1,234.56 EUR · draft")
    assert of["context_entry"] == "La cantina paga tarde"


@pytest.mark.parametrize(
    "q", ["1.234,56", "1234.56", "1234,56 €", "1,234.56 EUR", "cantina 1234,56", "1234,56 peñon", "Cantina 1 234,56 €"]
)
async def test_an_amount_finds_its_documents(ana, books, q):
    assert ("invoice", "Cantina Peñón") in await labels(ana, q)


@pytest.mark.parametrize("q", ["1234,57", "1.234", "norte 1234,56", "01234,56"])
async def test_another_amount_does_not(ana, books, q):
    assert await labels(ana, q) == []


async def test_amounts_are_those_of_bills_and_expenses_too(ana, books):
    assert await labels(ana, "121") == [("supplier_invoice", "CC-77")]
    assert await labels(ana, "60,50") == [("expense", "Vajilla cantina")]


async def test_a_number_finds_its_invoice_first(ana):
    for _ in range(3):
        await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    number = f"F{YEAR}-0002"
    await ana.invoice(notes=f"Corrige la {number}")

    hits = (await find(ana, number.lower()))["items"]

    assert hits[0]["label"] == number
    assert [hit["label"] for hit in hits[1:]] == [CLIENT["name"]]
    assert (await find(ana, "0002"))["items"][0]["label"] == number


async def test_declarations_are_found_by_form_name_and_period(ana):
    period = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    declaration = (await ana.post("/api/tax-declarations/generate", period))["declaration"]

    for q in ("303", "modelo 303 3t", "iva T3 2026", "303 2026 q3"):
        [hit] = (await find(ana, q, types="tax_declaration"))["items"]
        assert (hit["id"], hit["label"]) == (declaration["id"], "303 2026 Q3"), q
    assert await labels(ana, "303 2025") == []


async def test_types_and_limit_bound_the_answer(ana):
    for number in range(4):
        await ana.post("/api/clients", {"name": f"Norte {number}"})
        await ana.post("/api/vendors", {"name": f"Norte {number}"})

    both = await find(ana, "norte", limit=2)
    one = await find(ana, "norte", types="vendor", limit=4)

    assert [hit["label"] for hit in both["items"]] == ["Norte 0", "Norte 1"] * 2
    assert both["more"] == ["client", "vendor"]
    assert {hit["type"] for hit in one["items"]} == {"vendor"}
    assert (len(one["items"]), one["more"]) == (4, [])
    assert (await ana.refused(400, "GET", f"{PATH}?q=x&types=user"))["code"] == "VALIDATION_ERROR"
    assert (await ana.refused(400, "GET", f"{PATH}?q="))["code"] == "VALIDATION_ERROR"
    assert (await ana.refused(400, "GET", f"{PATH}?q={'x' * 201}"))["code"] == "VALIDATION_ERROR"
    assert await find(ana, "   ") == {"items": [], "more": []}


async def test_what_the_role_may_not_read_is_left_out(kernel, ana, books, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    await ana.post("/api/tax-declarations/generate", {"country": "ES", "year": 2026, "period": "Q3", "form": "303"})

    assert "supplier_invoice" not in {kind for kind, _ in await labels(rosa, "cantina")}
    assert await labels(rosa, "303") == await labels(rosa, "121") == []
    assert await labels(rosa, "cantina", types="supplier_invoice") == []
    writer = await with_scoped_key(ana, "write")
    await writer.refused(403, "GET", f"{PATH}?q=cantina")


async def test_nobody_finds_what_is_another_accounts(ana, berta, books):
    for q in ("cantina", "1234,56", "cantina 1234,56", "cc-77", "canteen"):
        assert await labels(berta, q) == [], q


async def test_what_is_deleted_is_not_found(ana, books):
    for path in ("clients", "expenses", "catalog", "tasks"):
        name = {"clients": "client", "expenses": "expense", "catalog": "catalog_item", "tasks": "task"}[path]
        if path == "clients":
            await ana.delete(f"/api/invoices/{books['invoice']}")
        await ana.delete(f"/api/{path}/{books[name]}")

    assert {kind for kind, _ in await labels(ana, "cantina")} == {"supplier_invoice", "context_entry"}


@pytest.mark.parametrize(
    "q", ["%", "_", "\\", "'; drop table client; --", "a" * 200, "· (", "[", "\u00df", "0", "-", "€"]
)
async def test_any_sign_is_only_a_sign(ana, books, q):
    assert (await find(ana, q))["items"] == []


async def test_letters_are_folded_in_the_statement_as_they_are_when_stored(kernel, ana):
    title = "ÁÉÍÓÚ Ñandú Çeviç Łódź Ørsted Straße İstanbul naïve"
    await ana.post("/api/tasks", {"title": title})

    for word in ("aeiou", "nandu", "cevic", "lodz", "orsted", "strasse", "naive"):
        assert await labels(ana, word) == [("task", title)], word
        assert word in words.searchable(title)


async def test_one_statement_searches_all_types(ana, books, monkeypatch):
    asked = []
    rows = Prepared.rows

    async def counted(self, *args, **kwargs):
        asked.append(self)
        return await rows(self, *args, **kwargs)

    monkeypatch.setattr(Prepared, "rows", counted)
    await labels(ana, "cantina")

    assert [statement is queries.DECLARATIONS for statement in asked] == [False, True]


async def test_tasks_and_notes_match_by_the_beginnings_of_words(ana, books):
    assert {kind for kind, _ in await labels(ana, "cantin paga")} == {"context_entry"}
    assert await labels(ana, "antina") == await labels(ana, "lamar") == []


async def test_a_control_character_is_refused(ana):
    assert (await ana.refused(400, "GET", f"{PATH}?q=a%00b"))["code"] == "VALIDATION_ERROR"
