"""Answers that are lost in the middle of a journey: the act is done, the person does it again, and it is done once."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from playwright.async_api import Page, expect

from support.api import Api, item
from support.windows import lose_one_answer

LOST = re.compile("No hay conexión con el servidor|No se sabe si")
INVITED = "rosa@example.com"
Scene = Callable[[Api], Awaitable[str]]
Act = Callable[[Page], Awaitable[None]]
Count = Callable[[Api], Awaitable[int]]


@dataclass
class Journey:
    """A screen, the way to the last button and that button, which sends to `path`; and how often its act is done."""

    screen: Scene
    lead: Act
    button: str
    path: str
    count: Count


async def issued(ana: Api) -> str:
    invoice = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return f"/invoices/{invoice['id']}"


async def type_payment(page: Page) -> None:
    await page.get_by_role("button", name="Registrar cobro").click()
    await page.get_by_label("Importe").fill("40")


async def payments(ana: Api) -> int:
    [invoice] = await ana.get("/api/invoices")
    return len(await ana.get(f"/api/invoices/{invoice['id']}/payments"))


async def refused_record(ana: Api) -> str:
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Diseño")]})
    return "/einvoice"


async def ask_to_send_again(page: Page) -> None:
    await page.get_by_role("row").filter(has_text="Rechazado").get_by_role("button", name="Enviar de nuevo").click()


async def accepted_records(ana: Api) -> int:
    return len(await ana.get("/api/einvoice/records?status=accepted"))


async def quarter(ana: Api) -> str:
    await ana.invoice(issueDate="2026-02-10")
    body = {"country": "ES", "year": 2026, "period": "Q1"}
    declaration = (await ana.post("/api/tax-declarations/generate", body))["declaration"]
    return f"/tax/{declaration['id']}"


async def type_receipt(page: Page) -> None:
    await page.get_by_role("button", name="Ya la he presentado").click()
    await page.get_by_label("Número de justificante").fill("3031234567890")


async def filed(ana: Api) -> int:
    declarations = (await ana.get("/api/tax-declarations"))["declarations"]
    return sum(one["status"] == "submitted" for one in declarations)


async def open_till(ana: Api) -> str:
    register = await ana.post("/api/cash-register", {"openingAmount": 20})
    return f"/till/{register['id']}"


async def count_cash(page: Page) -> None:
    await page.get_by_role("button", name="Cerrar caja").click()
    await page.get_by_label("Billete de 20,00 €").fill("1")


async def closings(ana: Api) -> int:
    return len((await ana.get("/api/cash-register/history"))["registers"])


async def team(ana: Api) -> str:
    await Api.register(ana.client, INVITED)
    return "/team"


async def type_invitation(page: Page) -> None:
    await page.get_by_role("button", name="Invitar a alguien").click()
    await page.get_by_role("dialog").get_by_label("Correo electrónico").fill(INVITED)


async def invited(ana: Api) -> int:
    members = await ana.get("/api/teams/current/members")
    return sum(member["email"] == INVITED for member in members)


JOURNEYS = {
    "payment": Journey(issued, type_payment, "Guardar", "**/pay", payments),
    "correction": Journey(
        refused_record, ask_to_send_again, "Enviar de nuevo", "**/api/einvoice/emit", accepted_records
    ),
    "filing": Journey(quarter, type_receipt, "Ya la he presentado", "**/submit", filed),
    "closing": Journey(open_till, count_cash, "Cerrar con 20,00 €", "**/close", closings),
    "invitation": Journey(team, type_invitation, "Hacer la invitación", "**/invite", invited),
}


@pytest.mark.parametrize("journey", JOURNEYS.values(), ids=JOURNEYS)
async def test_what_was_done_and_not_heard_of_is_done_once(ana, visit, journey):
    page = await visit(ana, await journey.screen(ana))
    await journey.lead(page)
    dialog = page.get_by_role("dialog")
    await lose_one_answer(page, journey.path)
    await dialog.get_by_role("button", name=journey.button, exact=True).click()
    await expect(dialog.get_by_text(LOST)).to_be_visible()
    assert await journey.count(ana) == 1

    await dialog.get_by_role("button", name=journey.button, exact=True).click()

    await expect(dialog).to_have_count(0)
    assert await journey.count(ana) == 1
