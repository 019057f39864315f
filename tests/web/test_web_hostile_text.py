"""Hostile text in every kind of record stays text: nothing of it runs, and nothing pushes a screen out of shape."""

from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from playwright.async_api import Page, expect

from support.api import Api
from support.payables import create_vendor, record_invoice
from support.windows import overflow

MARKUP = "=1+1<img src=x onerror=alert(1)><script>alert(2)</script>\"'&amp; \u202eodal\u202c שלום 👩‍👩‍👧 {name}"
WIDE = "W" * 10_000


@dataclass
class Fields:
    """The lengths that fields take, as the interface describes them."""

    schemas: dict[str, Any]

    @classmethod
    async def described(cls, client: httpx2.AsyncClient) -> "Fields":
        return cls((await client.get("/openapi.json")).json()["components"]["schemas"])

    def filled(self, schema: str, text: str, *names: str) -> dict[str, str]:
        """The fields, each with as much of the text as it takes."""
        properties = self.schemas[schema]["properties"]
        return {name: text[: _longest(properties[name])] for name in names}


def _longest(described: dict[str, Any]) -> int:
    """The length that a field takes; a ValueError tells that its description has none."""
    return max(one["maxLength"] for one in [described, *described.get("anyOf", [])] if "maxLength" in one)


async def hostile_records(ana: Api, fields: Fields, text: str) -> dict[str, str]:
    """A record of each kind with the text in all its free fields; by the path of a screen, what it must show."""
    client = await ana.post(
        "/api/clients",
        fields.filled("ClientInput", text, "name", "address", "city", "province", "contactName", "notes"),
    )
    line = {"quantity": 1, "unitPrice": 10, **fields.filled("InvoiceItemInput", text, "description")}
    notes = fields.filled("InvoiceInput", text, "notes")
    invoice = await ana.post("/api/invoices", {"clientId": client["id"], "items": [line], **notes})
    vendor = await create_vendor(ana, **fields.filled("VendorInput", text, "name", "address", "city", "notes"))
    bought = fields.filled("ExpenseInput", text, "description", "notes", "invoiceNumber")
    expense = await ana.post("/api/expenses", {"amount": 10, "date": "2026-11-02", "vendorId": vendor, **bought})
    product = await ana.post(
        "/api/catalog",
        {"unitPrice": 1, **fields.filled("ItemInput", text, "name", "description", "category", "sku", "unit")},
    )
    task = await ana.post("/api/tasks", fields.filled("TaskInput", text, "title", "description"))
    payable = await record_invoice(ana, vendor, **fields.filled("SupplierInvoiceInput", text, "notes"))
    assert payable["vendorId"] == vendor
    return {
        "/clients": client["name"],
        f"/clients/{client['id']}": client["notes"],
        "/invoices": client["name"],
        f"/invoices/{invoice['id']}": line["description"],
        f"/invoices/{invoice['id']}/edit": line["description"],
        "/expenses": expense["description"],
        f"/expenses/{expense['id']}": expense["notes"],
        "/catalog": product["name"],
        f"/catalog/{product['id']}": product["description"],
        "/tasks": task["title"],
    }


async def shown(page: Page, text: str) -> bool:
    """Tells whether the text stands on the screen or in one of its fields, letter by letter."""
    return bool(
        await page.evaluate(
            """text => [...document.querySelectorAll("main, main input, main textarea")]
                .some(one => (one.value ?? one.textContent).replaceAll("\\r", "").includes(text))""",
            text,
        )
    )


@pytest.mark.parametrize("text", [MARKUP, WIDE], ids=["markup", "wide"])
async def test_hostile_text_stays_text_on_every_screen(ana, visit, text):
    records = await hostile_records(ana, await Fields.described(ana.client), text)
    page = await visit(ana, "about:blank", width=360, height=800)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    refused = []
    for path, expected in records.items():
        await page.goto(path)
        await expect(page.locator("h1").first).to_be_visible()
        await expect(page.locator(".loading")).to_have_count(0)
        if not await shown(page, expected):
            refused.append(f"{path} lacks its text")
        if await overflow(page) > 0:
            refused.append(f"{path} is {await overflow(page)} pixels wider than its window")
        if await page.locator("main img[src=x], main script, main b:has-text('x')").count():
            refused.append(f"{path} has drawn the text as markup")

    assert refused == []
    assert dialogs == []


@pytest.mark.journey
async def test_hostile_names_of_people_and_companies_stay_text(site, visit):
    person = await site.newcomer()
    await person.request("PATCH", "/auth/me", {"name": MARKUP})
    await person.post("/api/teams", {"name": MARKUP[:60], "company": MARKUP[:60], "country": "ES"})
    page = await visit(person, "/team", width=360, height=800)

    await expect(page.get_by_role("banner").first).to_contain_text(MARKUP[:60])
    assert await overflow(page) <= 0
