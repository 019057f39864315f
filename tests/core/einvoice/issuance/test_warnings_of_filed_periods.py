"""Emission, mail and credit note name the submitted declaration in which the document is missing; dry runs too."""

from datetime import date

import pytest

from support.declarations import Declarant
from support.periods import quarter

WARNED = ["ISSUE_DATE_KEPT", "PERIOD_FILED"]


def codes(warnings):
    return [one.partition(":")[0] for one in warnings]


@pytest.fixture
def declarant(ana, kernel) -> Declarant:
    """Ana as a declarant whose invoices get fiscal records."""
    return Declarant(ana.client, ana.headers, team=ana.team, kernel=kernel)


async def rehearsed(api, method: str, path: str, body=None):
    answer = await api.request(method, path, body, **{"Dry-Run": "true"})
    return answer.json()["answer"]


@pytest.mark.parametrize("channel", ["emit", "send"])
async def test_an_emission_and_a_mail_into_a_filed_quarter_name_its_declaration(declarant, channel):
    await declarant.submitted(await declarant.generated(country="ES"))
    late = await declarant.invoice(issueDate="2026-09-30")
    call = ("PATCH", f"/api/invoices/{late['id']}/send")
    if channel == "emit":
        call = ("POST", "/api/einvoice/emit", {"invoiceId": late["id"]})

    told = await rehearsed(declarant, *call)
    done = (await declarant.request(*call)).json()

    for answer in (told, done):
        warnings = answer.get("invoice", answer)["warnings"]
        assert codes(warnings) == WARNED
        assert "303 2026 Q3" in warnings[1]


async def test_a_credit_note_of_a_day_that_has_been_declared_names_the_declaration(declarant):
    original = await declarant.invoice()
    emitted = await declarant.post("/api/einvoice/emit", {"invoiceId": original["id"]})
    day = date.fromisoformat((await declarant.get(f"/api/invoices/{original['id']}"))["issueDate"])
    await declarant.submitted(await declarant.generated(country="ES", year=day.year, period=quarter(day)))
    body = {"invoiceId": original["id"], "originalFiscalId": emitted["fiscalId"], "originalDate": f"{day}"}

    told = await rehearsed(declarant, "POST", "/api/einvoice/credit-note", body)
    done = await declarant.post("/api/einvoice/credit-note", body)

    for answer in (told, done):
        assert codes(answer["warnings"]) == ["PERIOD_FILED"]
        assert f"303 {day.year} {quarter(day)}" in answer["warnings"][0]
