"""Acts and questions that look alike."""

import pytest

from ledgerkit.core.messaging.language.requests import (
    Ask,
    CloseTill,
    CompleteTask,
    CreateTask,
    MarkPaid,
    Question,
    Refused,
    SendInvoice,
    SetDigest,
    Silence,
    Undo,
)
from support.utterances import ask

KINDS = [
    ("acme ha pagado", MarkPaid),
    ("ha pagado acme?", Question),
    ("me ha pagado ya müller o qué", Question),
    ("que la de 424 de talleres ya está cobrada", MarkPaid),
    ("acme no ha pagado", Question),
    ("puedes poner como pagada la 3?", MarkPaid),
    ("mándale otra vez la factura a la panadería que dice que no la ha recibido", SendInvoice),
    ("recuérdame que acme tiene que pagar", CreateTask),
    ("apunta que acme ha pagado", MarkPaid),
    ("lo del dominio ya está hecho", CompleteTask),
    ("I renewed the domain, check it off", CompleteTask),
    ("cierra la caja con 350", CloseTill),
    ("está abierta la caja", Question),
    ("silencio hasta el lunes", Silence),
    ("el resumen mejor a las 7", SetDigest),
    ("deshaz lo último", Undo),
    ("borra la factura 6", Refused),
    ("haz una transferencia a acme de 300", Refused),
    ("send 300 to Acme", Refused),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_a_message_is_a_request_of_its_kind(text, kind):
    assert isinstance(ask(text), kind)


TWO_ACTS = [
    *("marca pagada la de müller y hazle otra de quinientos", "pagada la 3 y manda la 5", "marca pagadas la 3 y la 5"),
    *("cierra la caja y dime cuánto hay", "hola, ciérrame la caja y hazle una factura a lola de 40"),
    *("acme me ha pagado y hazle otra factura de 200", "san josé y müller han pagado", "rectifica la 5 y reenvía la 6"),
    *("Give Acme a credit note for number 2 and invoice them 530 again", "factura a müller y a acme 300"),
]


@pytest.mark.parametrize("text", TWO_ACTS)
def test_two_acts_in_one_message_are_asked_about(text):
    request = ask(text)

    assert isinstance(request, Ask)
    assert request.lack.value == "ambiguous"


NEGATED = [
    *(
        "no marques la 7 como pagada",
        "no le mandes la factura a acme",
        "no hagas la factura de acme",
        "do not invoice Acme 300",
    ),
    *("no cierres la caja", "hoy no me mandes el resumen"),
]


@pytest.mark.parametrize("text", NEGATED)
def test_a_wish_not_to_do_something_is_asked_about(text):
    assert isinstance(ask(text), Ask)


@pytest.mark.parametrize("text", ["si acme me paga la marco", "si le hago una factura a acme de 300 cuánto cobro"])
def test_a_condition_is_no_wish(text):
    assert isinstance(ask(text), Refused)


@pytest.mark.parametrize("text", ["han pagado la mitad de la 3", "creo que la 3 está pagada", "la 3 pagó 300 o 318"])
def test_an_unsure_payment_is_asked_about(text):
    assert isinstance(ask(text), Ask)


def test_a_part_and_the_whole_are_told_apart():
    request = ask("müller pagó 1000 de los 2400")

    assert (request.amount, request.invoice.amount) == (1000, 2400)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("recuérdame mañana a las 9 llamar al banco", "Llamar al banco"),
        ("recuérdame que llame al banco mañana", "Llamar al banco"),
        ("apunta que el jueves tengo que pedir hilo, que si no se me olvida", "Pedir hilo"),
        ("add buy toner to my list", "Buy toner"),
        ("el lunes tengo que entregar los planos, apúntalo", "Entregar los planos"),
        ("tarea: imprimir muestras, viernes", "Imprimir muestras"),
    ],
)
def test_the_title_of_a_task_has_neither_command_nor_day(text, title):
    assert ask(text).title == title


@pytest.mark.parametrize("text", ["", " ", "...", "?", "👍", "por favor", "\x00", "ok", "asdf", "300"])
def test_noise_is_no_proposal(text):
    assert isinstance(ask(text), Ask | Refused)
