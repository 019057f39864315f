"""Two windows on one record: the second saving is told what the first has stored, and chooses."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from support.api import Api
from support.office import eventually

THEIRS, MINE = "Lo de la otra ventana", "Lo de esta ventana"


@dataclass(frozen=True)
class Record:
    """A record with a form, one field of which is a text."""

    make: Callable[[Api], Awaitable[str]]
    """Makes it and returns the address of the screen."""
    opened: Callable[[Page], Awaitable[Locator]]
    """Opens the form and returns the place of it."""
    field: str
    stored: Callable[[Api], Awaitable[Any]]
    theirs: str = THEIRS
    mine: str = MINE


async def in_page(page: Page) -> Locator:
    return page.locator("main")


def in_dialog(button: str) -> Callable[[Page], Awaitable[Locator]]:
    async def opened(page: Page) -> Locator:
        await page.get_by_role("button", name=button).first.click()
        return page.get_by_role("dialog")

    return opened


async def vendor(ana: Api) -> str:
    made = await ana.post("/api/vendors", {"name": "Imprenta Levante"})
    return f"/vendors/{made['id']}"


async def client(ana: Api) -> str:
    made = await ana.post("/api/clients", {"name": "Talleres Norte"})
    return f"/clients/{made['id']}"


async def expense(ana: Api) -> str:
    made = await ana.post("/api/expenses", {"description": "Papel", "amount": 12.1, "date": "2026-11-20"})
    return f"/expenses/{made['id']}"


async def company(ana: Api) -> str:
    return "/settings"


async def context(ana: Api) -> str:
    await ana.put("/api/context/entry", {"key": "horario", "content": "De 9 a 14"})
    return "/settings/context"


async def issued(ana: Api) -> str:
    body = {"client": {"name": "Talleres Norte", "taxId": "B12345674"}, "items": [{"description": "A", "unitPrice": 9}]}
    draft = await ana.post("/api/invoices", body)
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    return f"/invoices/{draft['id']}"


async def policy(ana: Api) -> str:
    await ana.put("/api/approvals/policy", {"asked": "limits", "upTo": 100})
    return "/settings/approvals"


async def rule_of_a_key(ana: Api) -> str:
    key = await ana.post("/api/keys", {"name": "Gestoría", "scopes": ["read", "write"]})
    rule = {"connection": key["id"], "asked": "limits", "upTo": 100}
    await ana.put("/api/approvals/policy", {"asked": "host", "connections": [rule]})
    return "/settings/approvals"


def limit(make: Callable[[Api], Awaitable[str]]) -> Record:
    return Record(
        make, in_page, "En la conversación, hasta", lambda ana: ana.get("/api/approvals/policy"), "217", "391"
    )


RECORDS = {
    "vendor": Record(vendor, in_dialog("Cambiar"), "Notas", lambda ana: ana.get("/api/vendors")),
    "client": Record(client, in_dialog("Editar"), "Notas", lambda ana: ana.get("/api/clients")),
    "expense": Record(expense, in_page, "Concepto", lambda ana: ana.get("/api/expenses")),
    "company": Record(company, in_page, "Teléfono", lambda ana: ana.get("/api/teams/current")),
    "context": Record(context, in_page, "Tu negocio en pocas palabras", lambda ana: ana.get("/api/context")),
    "entry": Record(context, in_dialog("Cambiar"), "Contenido", lambda ana: ana.get("/api/context")),
    "approval policy": limit(policy),
    "rule of a key": limit(rule_of_a_key),
    "issued invoice": Record(issued, in_dialog("Cambiar"), "Notas", lambda ana: ana.get("/api/invoices")),
}


async def save(place: Locator, field: str, text: str) -> None:
    await place.get_by_label(field).fill(text)
    await place.get_by_role("button", name="Guardar").first.click()


@pytest.mark.parametrize("choice", ["Guardar lo mío", "Quedarme con lo suyo"])
@pytest.mark.parametrize("name", RECORDS)
async def test_the_second_window_is_told(visit, ana, name, choice):
    record = RECORDS[name]

    async def stored() -> tuple[bool, bool]:
        text = str(await record.stored(ana))
        return record.theirs in text, record.mine in text

    async def is_theirs() -> bool:
        return await stored() == (True, False)

    async def is_mine() -> bool:
        return await stored() == (False, True)

    path = await record.make(ana)
    one, other = await visit(ana, path), await visit(ana, path)
    first, second = await record.opened(one), await record.opened(other)
    await expect(second.get_by_label(record.field)).to_be_visible()
    await save(first, record.field, record.theirs)
    await eventually(is_theirs)

    await save(second, record.field, record.mine)
    await expect(second.get_by_text("Alguien ha cambiado estos datos mientras los editabas")).to_be_visible()
    assert await is_theirs()
    await second.get_by_role("button", name=choice).click()

    if choice == "Guardar lo mío":
        await eventually(is_mine)
    else:
        await expect(second.get_by_label(record.field)).to_have_value(re.compile(rf"^{record.theirs}"))
        assert await is_theirs()


async def test_what_the_form_does_not_show_is_no_conflict(visit, ana):
    path = await issued(ana)
    page = await visit(ana, path)
    dialog = await in_dialog("Cambiar")(page)
    await ana.patch(f"/api{path}/pay", {"amount": 1})

    await save(dialog, "Notas", MINE)

    await expect(dialog).to_have_count(0)
    assert (await ana.get(f"/api{path}"))["notes"] == MINE
