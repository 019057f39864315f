"""Messages that can be meant in two ways: they are asked about."""

import pytest

from ledgerkit.core.messaging.language.references import ALL_KINDS, meant
from ledgerkit.core.messaging.language.requests import Ask, DraftInvoice, RequestLack
from support.utterances import INVOICES, TODAY, ask

CORRECTIONS = [
    "factura a Acme por 300, perdón, por 350",
    "factura a Acme de 300, bueno no, 350",
    "factura a Acme de 300 euros, ay no, que son 350",
    "factura a Acme de trescientos, mejor cuatrocientos",
    "factura a Talleres Norte, no, a Acme de 300",
    "invoice Acme for 300, actually 350",
    "invoice Acme 300, make that 350",
    "factura a Acme 300, 350",
]
LATER = [
    "mañana factura a Acme 300",
    "factura a Acme 300 y mándasela mañana",
    "el viernes hazle factura a Acme de 300",
    "factura a Acme 300 cuando te diga",
    "manda la 5 mañana",
    "anula la 6 el lunes",
    "cierra la caja mañana",
    "invoice Acme 300 if they approve",
    "send invoice 5 tomorrow",
]
TWO_WAYS_OF_COUNTING = [
    "Acme 300 x 5",
    "Acme 100 tarjetas 35 €",
    "Acme 2 logos 150",
    "Acme sesión 2h 90",
    "Acme 2 hour workshop 90",
    "Acme 45 minutes at 40 an hour",
    "invoice Acme a few hours at 40",
    "Acme 90 el viernes",
    "Acme 12/04 300",
    "invoice Acme half of 600",
    "Talleres Norte owes 20 more",
]
OTHERS = [
    "abónale a Müller la mitad",
    "rectifica la 6, eran 400",
    "manda la de siempre a Acme",
    "müller pagó la 4 y la 5",
]


@pytest.mark.parametrize("text", [*CORRECTIONS, *LATER, *TWO_WAYS_OF_COUNTING, *OTHERS])
def test_a_doubt_is_asked_about(text):
    request = ask(text)

    assert isinstance(request, Ask)
    assert request.lack is RequestLack.AMBIGUOUS


@pytest.mark.parametrize(
    "text",
    [
        "factura a Acme 300 y 350",
        "factura a Acme 300 + 350",
        "factura a Acme de 300 euros, perdón, 300 euros",
        "Acme 3 x 300",
        "Acme 2 logos a 150",
        "Acme consultoría 2h 40",
        "factura a Acme 300 hoy",
        "factura a Acme 300 por la sesión del viernes",
        "factura a Acme 300 cuando puedas",
        "perdona, factura a Acme 300",
    ],
)
def test_what_leaves_no_doubt_is_proposed(text):
    assert isinstance(ask(text), DraftInvoice)


def test_the_invoice_of_a_number_goes_to_the_client_who_is_named():
    """Number 5 is Café Ñandú's."""
    of_other, of_client = (ask(f"manda la 5 a {client}").invoice for client in ("Müller", "Café Ñandú"))

    assert meant(of_other, INVOICES, ALL_KINDS, today=TODAY) == []
    assert [invoice.number for invoice in meant(of_client, INVOICES, ALL_KINDS, today=TODAY)] == ["F2026-0005"]
