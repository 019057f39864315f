"""Invoices that a reference means."""

from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.core.messaging.language.references import ALL_KINDS, ISSUED, PAYABLE, KnownInvoice, meant
from ledgerkit.core.messaging.language.requests import InvoiceRef
from support.utterances import INVOICES, TODAY, Client, ask


def known(number: str | None, **changes: object) -> KnownInvoice:
    fields = {
        "client_name": "Acme",
        "total": Decimal(100),
        "due": Decimal(100),
        "issue_date": date(2026, 3, 1),
        "due_date": None,
        "is_draft": number is None,
        "is_open": number is not None,
        "is_overdue": False,
    }
    return KnownInvoice(id=number or "draft", number=number, **{**fields, **changes})


def ids(reference: InvoiceRef, invoices: list[KnownInvoice], kinds=ALL_KINDS) -> list[str]:
    return [invoice.id for invoice in meant(reference, invoices, kinds, today=TODAY)]


@pytest.mark.parametrize("number", ["7", "007", "0007", "2026/7", "26-7", "26/7", "F7", "F2026-0007", "f2026/0007"])
@pytest.mark.parametrize("form", ["F2026-0007", "F-2026/7", "F26/0007", "F20260007"])
def test_a_number_is_compared_by_its_parts(number, form):
    assert ids(InvoiceRef(number=number), [known(form), known("F2026-0008"), known("F2026-0070")]) == [form]


def test_a_bare_number_is_of_the_present_year():
    invoices = [known("F2025-0007", issue_date=date(2025, 5, 1)), known("F2026-0007")]

    assert ids(InvoiceRef(number="7"), invoices) == ["F2026-0007"]
    assert ids(InvoiceRef(number="2025/7"), invoices) == ["F2025-0007"]


def test_a_number_of_the_last_year_is_found_where_this_year_has_none():
    assert ids(InvoiceRef(number="7"), [known("F2025-0007", issue_date=date(2025, 5, 1))]) == ["F2025-0007"]


def test_a_bare_number_of_two_series_is_asked_about():
    invoices = [known("F2026-0007"), known("R2026-0007")]

    assert ids(InvoiceRef(number="7"), invoices) == ["F2026-0007", "R2026-0007"]
    assert ids(InvoiceRef(number="R7"), invoices) == ["R2026-0007"]


def test_only_invoices_of_the_wanted_kinds_are_meant():
    paid = known("F2026-0007", is_open=False, due=Decimal(0))

    assert ids(InvoiceRef(number="7"), [paid], PAYABLE) == []
    assert ids(InvoiceRef(number="7"), [paid], ISSUED) == ["F2026-0007"]
    assert ids(InvoiceRef(is_draft=True), [paid, known(None)], ISSUED) == []
    assert ids(InvoiceRef(is_draft=True), [paid, known(None)]) == ["draft"]


def test_a_number_that_no_invoice_has_may_be_an_amount():
    assert ids(InvoiceRef(number="424"), INVOICES) == ["F2026-0006"]
    assert ids(InvoiceRef(number="99"), INVOICES) == []


@pytest.mark.parametrize("number", ["", "F", "9" * 60, "²"])
def test_odd_numbers_mean_nothing(number):
    assert ids(InvoiceRef(number=number), INVOICES) == []


TALLERES = Client("Talleres Norte, S.L.")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (InvoiceRef(client=TALLERES), ["F2026-0001", "F2026-0006"]),
        (InvoiceRef(client=TALLERES, amount=Decimal(424)), ["F2026-0006"]),
        (InvoiceRef(client=TALLERES, amount=Decimal(500)), ["F2026-0001"]),
        (InvoiceRef(client=TALLERES, amount=Decimal(5000)), []),
        (InvoiceRef(client=TALLERES, is_overdue=True), ["F2026-0001"]),
        (InvoiceRef(client=TALLERES, is_oldest=True), ["F2026-0001"]),
        (InvoiceRef(client=TALLERES, is_last=True), ["F2026-0006"]),
        (InvoiceRef(client=TALLERES, month=1), ["F2026-0001"]),
        (InvoiceRef(client=TALLERES, issue_date=date(2026, 3, 5)), ["F2026-0006"]),
        (InvoiceRef(month=3), ["F2026-0006", "F2026-0007"]),
        (InvoiceRef(amount=Decimal(242)), ["F2026-0007"]),
        (InvoiceRef(amount=Decimal(243)), []),
        (InvoiceRef(is_last=True), ["F2026-0007"]),
    ],
)
def test_an_open_invoice_is_told_by_other_words(reference, expected):
    assert ids(reference, INVOICES, PAYABLE) == expected


def test_a_month_is_the_latest_one():
    invoices = [known("F2025-0001", issue_date=date(2025, 1, 9)), known("F2026-0001", issue_date=date(2026, 1, 9))]

    assert ids(InvoiceRef(month=1), invoices) == ["F2026-0001"]


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("marca pagada la 7", InvoiceRef(number="7")),
        ("3 pagada", InvoiceRef(number="3")),
        ("pagada la F2026-0007", InvoiceRef(number="F2026-0007")),
        ("factura 2026/7 pagada", InvoiceRef(number="2026/7")),
        ("invoice number seven is paid", InvoiceRef(number="7")),
        ("efe dos mil veintiséis guion cero cero cero seis pagada", InvoiceRef(number="F2026-0006")),
        ("pagada la de 424", InvoiceRef(amount=Decimal(424))),
        ("pagada la de marzo", InvoiceRef(month=3)),
        ("the January one has been paid", InvoiceRef(month=1)),
        ("pagada la última", InvoiceRef(is_last=True)),
        ("pagada la más antigua", InvoiceRef(is_oldest=True)),
        ("the invoice sent on March 5 is paid", InvoiceRef(issue_date=date(2026, 3, 5))),
        ("ya está pagada la del 5 de marzo", InvoiceRef(issue_date=date(2026, 3, 5))),
    ],
)
def test_a_message_refers_to_an_invoice(text, reference):
    assert ask(text).invoice == reference
