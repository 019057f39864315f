from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from spanish_documents import (
    AMERICAN,
    CHANNEL,
    CLIENT,
    FRENCH,
    ISSUER,
    TODAY,
    credit_note,
    invoice,
    line,
    simplified,
)

from ledgerkit.providers.api import Correction, DocumentRef, TaxCategory

TOMORROW = TODAY + timedelta(days=1)
CORRECTED = (DocumentRef(number="F2026-0001", issue_date=TODAY),)


def found(document):
    return {(problem.field, problem.code) for problem in CHANNEL.preflight(document, TODAY)}


@pytest.mark.parametrize(
    ("document", "field", "code"),
    [
        (invoice(number=""), "number", "1104"),
        (invoice(number="F" * 61), "number", "1104"),
        (invoice(number="Ñ2026-0001"), "number", "1130"),
        (invoice(number="F2026-0001 "), "number", "1130"),
        (invoice(number="F2026\n1"), "number", "1130"),
        (invoice(number="F=1"), "number", "1287"),
        (invoice(issue_date=TOMORROW), "issueDate", "1112"),
        (invoice(issue_date=date(2024, 10, 27)), "issueDate", "1152"),
        (invoice(issue_date=date(2026, 11, 1), operation_date=date(2026, 11, 2)), "operationDate", "1146"),
        (invoice(line(regime_key="15"), operation_date=date(2028, 1, 1)), "operationDate", "1125"),
        (invoice(operation_date=date(2006, 1, 1)), "operationDate", "1134"),
        (invoice(issuer=replace(ISSUER, name=" \x00")), "issuer.name", "1100"),
        (invoice(issuer=replace(ISSUER, tax_id=None)), "issuer.taxId", "4116"),
        (invoice(issuer=replace(ISSUER, tax_id="12345678A")), "issuer.taxId", "4116"),
        (invoice(recipient=None), "client", "1189"),
        (invoice(recipient=replace(CLIENT, name="")), "client.name", "1100"),
        (invoice(recipient=replace(CLIENT, tax_id=None)), "client.taxId", "1189"),
        (invoice(recipient=replace(AMERICAN, tax_id=" ")), "client.taxId", "1189"),
        (invoice(recipient=replace(CLIENT, tax_id="B64717839")), "client.taxId", "1123"),
        (invoice(recipient=replace(CLIENT, tax_id="FR61954506077")), "client.taxId", "1123"),
        (invoice(recipient=replace(AMERICAN, tax_id="1" * 21)), "client.taxId", "1103"),
        (invoice(currency="USD"), "currency", "1100"),
        (invoice(gross_total=Decimal("1000000000000.00")), "total", "1210"),
        (invoice(description="\x01 "), "items", "1100"),
        (simplified(line("2500.00")), "total", "1150"),
        (replace(invoice(), taxes=()), "items", "4102"),
        (invoice(*(line(regime_key=key) for key in ("01", "03", "05", "07", "09", "17", "18", "19", "20")),
                 *(line(rate="10", regime_key=key) for key in ("01", "05", "09", "17"))), "items", "4113"),
        (invoice(correction=Correction(documents=CORRECTED)), "rectifies", "1117"),
        (credit_note(correction=Correction(documents=())), "rectifies", "1114"),
        (replace(credit_note(), correction=None), "rectifies", "1114"),
        (credit_note(correction=Correction(documents=CORRECTED, reason="R9")), "reason", "1100"),
        (credit_note(correction=Correction(documents=CORRECTED, method="substitution")), "rectifies", "1118"),
        (credit_note(recipient=None, correction=Correction(documents=CORRECTED, reason="R1")), "client", "1189"),
    ],
)  # fmt: skip
def test_a_broken_rule_names_field_and_code(document, field, code):
    assert (field, code) in found(document)


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (invoice(line(rate="18")), "1124"),
        (invoice(line(rate="5")), "1194"),
        (invoice(line(rate="2")), "1235"),
        (invoice(line(rate="7.5")), "1236"),
        (invoice(line(rate="21"), operation_date=date(2012, 8, 1)), "1124"),
        (invoice(line(surcharge="1.4")), "1162"),
        (invoice(line(rate="10", surcharge="5.2")), "1163"),
        (invoice(line(rate="4", surcharge="0.62")), "1164"),
        (invoice(line(rate="0", surcharge="0.26")), "1277"),
        (invoice(line(category=TaxCategory.EXEMPT, exemption_code="E7")), "1182"),
        (invoice(line(regime_key="12")), "1246"),
        (invoice(replace(line(category=TaxCategory.EXEMPT), amount=Decimal("21.00"))), "1207"),
        (invoice(replace(line(), amount=Decimal("-21.00"))), "1143"),
        (simplified(line(category=TaxCategory.REVERSE_CHARGE)), "1197"),
        (simplified(line(category=TaxCategory.INTRA_EU_GOODS)), "1289"),
        (invoice(line(category=TaxCategory.EXPORT, regime_key="01"), recipient=AMERICAN), "1199"),
        (invoice(line(regime_key="02")), "1286"),
        (invoice(line(category=TaxCategory.NOT_SUBJECT, regime_key="03")), "1200"),
        (invoice(line(regime_key="04")), "1201"),
        (invoice(line(regime_key="06")), "1202"),
        (invoice(line(category=TaxCategory.REVERSE_CHARGE, regime_key="07")), "1203"),
        (invoice(line(regime_key="08")), "1252"),
        (invoice(line(regime_key="10")), "1205"),
        (invoice(line(rate="10", regime_key="11")), "1206"),
        (invoice(line(regime_key="14")), "1147"),
        (simplified(line(regime_key="14")), "1148"),
        (invoice(line(regime_key="14")), "1149"),
    ],
)
def test_a_broken_rule_of_the_lines_names_its_code(document, code):
    assert ("items", code) in found(document)


@pytest.mark.parametrize("category", [TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES])
@pytest.mark.parametrize("client", [CLIENT, AMERICAN, replace(FRENCH, tax_id="FR1")])
def test_an_intra_eu_supply_needs_a_vat_number_of_another_member_state(category, client):
    assert ("client.taxId", "1289") in found(invoice(line(category=category), recipient=client))


@pytest.mark.parametrize(
    "document",
    [
        invoice(line(rate="5"), operation_date=date(2024, 9, 30)),
        invoice(line(rate="7.5", surcharge="1"), operation_date=date(2024, 12, 31)),
        invoice(line(rate="2", surcharge="0.26"), operation_date=date(2024, 10, 1)),
        invoice(line(surcharge="1.75")),
        invoice(line(surcharge="0")),
        invoice(issue_date=date(2024, 10, 28)),
        simplified(line("2487.60")),
        invoice(line(regime_key="15"), operation_date=TOMORROW),
        invoice(
            line(regime_key="14"), operation_date=TOMORROW, recipient=replace(CLIENT, tax_id="S2833002E")
        ),
        invoice(line(category=TaxCategory.NOT_SUBJECT, regime_key="10")),
        credit_note(correction=Correction(documents=CORRECTED, reason="R3")),
    ],
)  # fmt: skip
def test_what_the_authority_takes_passes(document):
    assert found(document) == set()


def test_every_problem_says_what_to_do():
    broken = invoice(
        line(rate="18", surcharge="3"),
        number="",
        currency="USD",
        issue_date=TOMORROW,
        recipient=replace(CLIENT, tax_id="X"),
        issuer=replace(ISSUER, tax_id="", name=""),
    )

    problems = CHANNEL.preflight(broken, TODAY)

    assert len(problems) >= 7
    assert all(problem.message and problem.remedy.endswith(".") for problem in problems)
