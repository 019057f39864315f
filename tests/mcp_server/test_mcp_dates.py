"""Dates of what is issued over MCP: the day of its issue, and a declared period, which the user reads before."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from ledgerkit import clock
from support.api import CLIENT, item
from support.periods import quarter

LATE = "2026-09-30"


@pytest.fixture
async def ana(site):
    return await site.person()


async def filed(api, period: str, year: int = 2026) -> None:
    asked = {"country": "ES", "year": year, "period": period, "form": "303"}
    made = (await api.post("/api/tax-declarations/generate", asked))["declaration"]
    await api.patch(f"/api/tax-declarations/{made['id']}/submit")


def named(answer, declaration: str) -> bool:
    return any("PERIOD_FILED" in one and declaration in one for one in answer["warnings"])


@pytest.mark.parametrize("tool", ["emit_einvoice", "send_invoice"])
async def test_an_emission_and_a_mail_name_the_declaration(site, ana, tool):
    await filed(ana, "Q3")
    late = await ana.invoice(issueDate=LATE)
    agent = site.agent(ana)
    arguments = {"invoiceId" if tool == "emit_einvoice" else "id": late["id"]}

    preview = await agent.preview(tool, **arguments)
    done = await agent.ok(tool, **arguments)

    assert "303 2026 Q3" in preview["question"]
    assert named(done.get("invoice", done), "303 2026 Q3")


async def test_a_credit_note_names_the_declaration(site, ana):
    original = await ana.invoice()
    emitted = await ana.post("/api/einvoice/emit", {"invoiceId": original["id"]})
    day = date.fromisoformat((await ana.get(f"/api/invoices/{original['id']}"))["issueDate"])
    await filed(ana, quarter(day), day.year)
    agent = site.agent(ana)
    arguments = {"invoiceId": original["id"], "originalFiscalId": emitted["fiscalId"], "originalDate": f"{day}"}

    preview = await agent.preview("create_credit_note", **arguments)
    done = await agent.ok("create_credit_note", **arguments)

    declaration = f"303 {day.year} {quarter(day)}"
    assert declaration in preview["question"]
    assert named(preview["answer"], declaration)
    assert named(done, declaration)


async def test_an_emission_over_mcp_is_dated_on_its_day(site, ana):
    agent = site.agent(ana)
    today = clock.now().astimezone(ZoneInfo("Europe/Madrid")).date()
    with time_machine.travel(clock.now() - timedelta(days=3), tick=True):
        draft = await agent.ok("create_invoice", client=CLIENT, items=[item()], taxRate=21)

    preview = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    await agent.ok("emit_einvoice", invoiceId=draft["id"])
    issued = await ana.get(f"/api/invoices/{draft['id']}")

    assert draft["issueDate"] == str(today - timedelta(days=3))
    assert f"Fecha de expedición: {today.day} de " in preview["question"]
    assert "ISSUE_DATE_KEPT" not in preview["question"]
    assert (issued["issueDate"], issued["issueDateStated"]) == (str(today), True)
