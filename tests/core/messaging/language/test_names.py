"""Names of clients in messages: slips, parts of names, and names of others."""

import pytest

from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.requests import Ask, DraftInvoice
from ledgerkit.core.messaging.language.words import words_of
from support.utterances import CLIENTS, Client, ask

SLIPS = [
    ("panaderia san jose", "Panadería San José, S.L."),
    ("pananderia", "Panadería San José, S.L."),
    ("tayeres norte", "Talleres Norte, S.L."),
    ("tlleres", "Talleres Norte, S.L."),
    ("Ñandu", "Café Ñandú, S.L."),
    ("mueller", "Müller Werkzeuge GmbH"),
    ("obrien", "O'Brien Ltd"),
    ("o brien", "O'Brien Ltd"),
    ("O'Brian", "O'Brien Ltd"),
    ("estudio veintidós", "Estudio 22, S.L."),
    ("García y Hijos", "García e Hijos, C.B."),
    ("the bakery", "Panadería San José, S.L."),
    ("ayto teruel", "Ayuntamiento de Teruel"),
    ("la Núñez", "María José Núñez Prat"),
]


@pytest.mark.parametrize(("said", "name"), SLIPS)
def test_a_name_with_a_slip_is_the_nearest_one(said, name):
    assert ask(f"factura a {said} 300").client.name == name


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Juan Pérez", {"Juan Pérez Gómez", "Juan Pérez Molina"}),
        ("García", {"Ferretería García, S.L.", "García e Hijos, C.B."}),
    ],
)
def test_two_clients_of_one_name_are_asked_about(said, names):
    asked = ask(f"factura a {said} 300")

    assert asked.lack.value == "which_client"
    assert {client.name for client in asked.candidates} == names


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Talleres Sur",
            "talleres sur",
            "Café Central",
            "Ferretería López",
            "hotel Acme",
            "bodegas Norte",
            "Lola García",
        ),
        *("Juan Pérez Soler", "María José López", "Pepe", "Bar Manolo", "Müller Bau"),
    ],
)
def test_a_name_of_somebody_else_is_no_client(said):
    asked = ask(f"factura a {said} 300")

    assert isinstance(asked, Ask)
    assert asked.lack.value in {"unknown_client", "which_client"}


@pytest.mark.parametrize(
    "text", ["factura 300 estudio de mercado", "factura de 300 por sol y sombra", "factura 22 euros"]
)
def test_a_word_of_a_description_is_no_client(text):
    assert ask(text).lack.value == "client_missing"


def test_the_client_is_the_one_behind_the_preposition():
    assert ask("factura a Acme 300 por el estudio de Talleres Norte").client.name == "Acme Consulting, S.L."


def test_a_name_that_is_excluded_is_not_the_client():
    request = ask("invoice Ferretería García only, not García e Hijos, 275", "en")

    assert isinstance(request, DraftInvoice)
    assert request.client.name == "Ferretería García, S.L."


def test_a_client_with_the_name_of_a_command_is_found_behind_a_preposition():
    names = Names([Client("Pago"), Client("Acme Consulting, S.L.")])

    assert names.mentions(words_of("marca el pago de la 7")) == []
    assert [mention.named[0].name for mention in names.mentions(words_of("factura a pago 300"))] == ["Pago"]


def test_a_word_tells_a_name_the_better_the_fewer_have_it():
    mentions = Names(CLIENTS).mentions(words_of("juan perez gomez"))

    assert [[client.name for client in mention.named] for mention in mentions] == [["Juan Pérez Gómez"]]
    assert mentions[0].is_whole
