"""New invoices in messages: lines, taxes, days, and whether to issue."""

from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.core.messaging.language.grammar import Speaker, understood
from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.requests import DraftInvoice
from support.utterances import TASKS, TODAY, Titled, ask

LINES = [
    ("300 consultoría", [("1", "300", "consultoría")]),
    ("3 horas a 45 más IVA", [("3", "45", "horas")]),
    ("2 logos a 150 y 1 web 900", [("2", "150", "logos"), ("1", "900", "web")]),
    ("mil doscientos con cincuenta por el catálogo", [("1", "1200.50", "catálogo")]),
    ("logo (300) y web (900)", [("1", "300", "logo"), ("1", "900", "web")]),
    ("codo 4,20 junta 1,80", [("1", "4.20", "codo"), ("1", "1.80", "junta")]),
    ("dos mesas, 350 cada una", [("2", "350", "mesas")]),
    ("45 € la hora, 3 horas", [("3", "45", "")]),
    ("1h30 a 60/h", [("1.5", "60", "")]),
    ("dos horas y media a 40", [("2.5", "40", "")]),
    ("un par de horas a 40", [("2", "40", "horas")]),
    ("3 sesiones de una hora y media a 90", [("3", "90", "sesiones de una hora y media")]),
    ("40 a 12,75", [("40", "12.75", "")]),
    ("5 horas a cuarenta y un desplazamiento de veinticinco", [("5", "40", "horas"), ("1", "25", "desplazamiento")]),
    ("la visita del 12 al 15 de marzo 200", [("1", "200", "visita del 12 al 15 de marzo")]),
    ("proyecto 2026 fase 2 1500 euros", [("1", "1500", "proyecto 2026 fase 2")]),
]


@pytest.mark.parametrize(("text", "lines"), LINES)
def test_lines_have_quantity_price_and_description(text, lines):
    draft = ask(f"factura a acme {text}")

    assert [(line.quantity, line.unit_price) for line in draft.lines] == [
        (Decimal(quantity), Decimal(price)) for quantity, price, _ in lines
    ]
    for line, (_, _, description) in zip(draft.lines, lines, strict=True):
        assert description in line.description


DOUBTS = [
    *("500 o 600", "entre 500 y 600", "unos 500", "500 y pico", "500, no, 600", "500 digo 600", "500 más o menos"),
    *("5 logos 750", "75 € por 2 horas", "300 a 400", "2 paquetes de 10 a 50", "3 horas a 50, 150 en total", "-300"),
    *("500 con un 10 % de descuento", "500 cada mes", "500 limpios", "30 % de 1000", "1000 en dos plazos", "0 euros"),
    *("300 dólares", "£300", "300 USD", "300 mas iva con iva incluido", "300 + 63 de iva", "300 y otra a lola de 50"),
    *("500 vence el 31 de abril", "500 exenta de IVA", "500 y recuérdame llamarles", "la mitad de 500"),
]


@pytest.mark.parametrize("text", DOUBTS)
def test_an_amount_that_can_be_misunderstood_is_asked_about(text):
    assert ask(f"factura a acme {text}").lack.value == "ambiguous"


TAXES = [
    ("300 IVA incluido", None, True, None),
    ("300 con IVA", None, True, None),
    ("300 todo incluido", None, True, None),
    ("300 en total", None, True, None),
    ("300 con el 10 % de IVA", 10, False, None),
    ("300 con el 10 % de IVA incluido", 10, True, None),
    ("300 más el 21 % de IVA menos el 15 % de retención", 21, False, 15),
    ("300 IVA 21, IRPF 7", 21, False, 7),
    ("300 al 10 %", 10, False, None),
    ("300 IVA superreducido", 4, False, None),
    ("300 sin retención", None, False, 0),
    ("300 no lleva irpf", None, False, 0),
    ("300 más IVA", None, False, None),
    ("300 IVA aparte", None, False, None),
    ("300, los precios no incluyen IVA", None, False, None),
    ("300 sin IVA", None, False, None),
    ("un total de 5 horas a 60", None, False, None),
]


@pytest.mark.parametrize(("text", "vat", "is_included", "retention"), TAXES)
def test_taxes_are_those_that_were_said(text, vat, is_included, retention):
    draft = ask(f"factura a acme {text}")

    assert (draft.vat_rate, draft.vat_included, draft.retention_rate) == (vat, is_included, retention)


@pytest.mark.parametrize("text", ["900 sin IVA", "900 exenta", "sin IVA 900", "900 reverse charge", "900, no VAT"])
def test_a_client_abroad_is_not_charged_vat(text):
    draft = ask(f"factura a müller {text}")

    assert (draft.vat_rate, draft.without_vat) == (0, True)


def test_an_invoice_without_vat_within_the_country_is_asked_about():
    assert ask("factura sin IVA a acme, 900").lack.value == "ambiguous"


def test_whoever_does_not_tell_the_country_decides_about_vat():
    speaker = Speaker(today=TODAY, language="es", clients=Names([Titled("Acme Consulting")]), tasks=Names(TASKS))

    whole = understood("factura sin IVA a acme, 900", speaker)
    beside = understood("factura a acme 900 sin IVA", speaker)

    assert (whole.vat_rate, whole.without_vat) == (None, True)
    assert (beside.vat_rate, beside.without_vat) == (None, False)


DAYS = [
    ("vence a fin de mes", None, date(2026, 3, 31), None),
    ("a 60 días", None, None, 60),
    ("net 30", None, None, 30),
    ("pago a la vista", None, None, 0),
    ("con fecha de ayer", date(2026, 3, 17), None, None),
    ("fecha 17/03/2026, vencimiento 16/04/2026", date(2026, 3, 17), date(2026, 4, 16), None),
    ("que lo pague el viernes", None, date(2026, 3, 20), None),
    ("tienen hasta el 30 de abril", None, date(2026, 4, 30), None),
    ("por la avería del viernes", None, None, None),
]


@pytest.mark.parametrize(("text", "issued", "due", "days"), DAYS)
def test_days_of_issue_and_payment(text, issued, due, days):
    draft = ask(f"factura a acme 300 {text}")

    assert (draft.issue_date, draft.due_date, draft.due_days) == (issued, due, days)


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("factura a acme 300", False),
        ("hazme una factura a acme de 300", False),
        ("pásale una factura a acme de 300", False),
        ("emite factura a acme 300", True),
        ("factura a acme 300 y mándasela", True),
        ("factura a acme 300 y me la mandas", False),
        ("send Acme an invoice for 300", True),
        ("invoice Acme 300 for the login issue", False),
        ("invoice Acme 300 and email it to them", True),
        ("emite factura a acme 300 pero no la envíes aún", False),
        ("invoice Acme 300, don't send it yet", False),
    ],
)
def test_an_invoice_is_issued_only_where_it_was_said(text, issue):
    draft = ask(text)

    assert isinstance(draft, DraftInvoice)
    assert draft.issue is issue


@pytest.mark.parametrize("text", ["ayer estuve con acme, 300 km", "cash from Acme, 300", "acme dice que son 300"])
def test_a_statement_with_an_amount_is_no_invoice(text):
    assert not isinstance(ask(text), DraftInvoice)


@pytest.mark.parametrize("text", ["mete 50 euros en la factura de acme", "add 50 to the Acme invoice"])
def test_an_invoice_that_stands_is_not_changed(text):
    assert ask(text).refusal.value == "not_here"
