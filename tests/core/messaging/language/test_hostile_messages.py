"""Messages of people who mean harm: none raises, and each costs a bounded effort, whatever it repeats."""

import random
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from ledgerkit.core.messaging.language import requests
from ledgerkit.core.messaging.language.grammar import Speaker, understood
from ledgerkit.core.messaging.language.names import Names
from ledgerkit.core.messaging.language.references import ALL_KINDS, meant
from ledgerkit.core.messaging.language.requests import DraftInvoice, Refused
from ledgerkit.core.messaging.language.words import MOST_CHARACTERS, MOST_WORDS
from support.sampling import examples
from support.utterances import CLIENTS, INVOICES, TASKS, TODAY, Client, Titled, ask, speaker

UTTERANCES = Path(__file__).parent / "utterances"
REQUESTS = (requests.Question, requests.Ask, requests.Refused, *requests.Act.__args__)

MOST_CALLS = 90_000
"""Calls of functions that a message may cost: up to 40 ms on two shared cores in 2026."""

CALLS_TO_REFUSE = 1_000


def calls(action: Callable[[], object]) -> int:
    """Count the functions called meanwhile, which is the same on every machine."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


@cache
def texts() -> list[str]:
    """Messages of strangers, whose parts make hostile ones; once each is understood, all lists of words are read."""
    found = [
        utterance["text"]
        for path in sorted(UTTERANCES.glob("outside_[a-d].toml"))
        for utterance in tomllib.loads(path.read_text())["utterance"]
    ]
    for text in found[::5]:
        ask(text)
    return found


def repeated(part: str, separator: str = " ") -> str:
    """Return as many repetitions of a part as are read."""
    length = len(part) + len(separator)
    words = max(1, len(part.split()))
    return separator.join([part] * min(MOST_CHARACTERS // length, MOST_WORDS // words))


HOSTILE = [
    *(repeated(part) for part in ("a", "la", "x", "y", "que", "no", "1", "mil", "iva 21", "mas iva con iva", "la 7")),
    *(
        repeated(part)
        for part in ("el 5", "5 de marzo", "factura", "hazme una factura a", "ha pagado", "me debe cuanto")
    ),
    *(repeated(part) for part in ("juan", "juan perez", "garcia", "talleres norte", "3 horas a 45 y", "a hundred and")),
    *(
        repeated(part)
        for part in ("ciento veinte con cincuenta", "2026-0007", "F2026-0007", "recuerdame que tengo que")
    ),
    *(repeated(part) for part in ("fctura pgada", "por favor", "hola", "ﷺ", "factura a juan perez 300 y a garcia 200")),
    *(repeated(part, "") for part in ("1", "1,", "1.", "1/", "-", "?", "(", '"', "[(", "\n", "z", "€", "ﷺ", "\u200d")),
    *(
        repeated(part, "")
        for part in ("\u0301", "e\u0301\u0301\u0301 ", "\u202e", "\ud800", "\x00", "🎉", "a\n", "• a 3 ")
    ),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_a_hostile_message_costs_a_bounded_effort(text):
    texts()
    requested: list[object] = []

    effort = calls(lambda: requested.append(ask(text)))

    assert isinstance(requested[0], REQUESTS)
    assert effort <= MOST_CALLS


def test_the_effort_grows_with_the_words_and_no_faster():
    """A pattern that looked back and forth would cost four times as much for twice the words."""
    texts()
    parts = ["hazme una factura a", "juan", "la", "3 horas a 45 y", "iva 21", "ha pagado"]
    half, whole = (
        [calls(lambda part=part, share=share: ask(repeated(part)[: MOST_CHARACTERS // share])) for part in parts]
        for share in (2, 1)
    )

    assert all(long <= 3 * short for short, long in zip(half, whole, strict=True))


@pytest.mark.parametrize("text", ["factura a acme 300 " * 215, "a " * (MOST_WORDS + 1), "a" * (MOST_CHARACTERS + 1)])
def test_a_message_that_is_too_long_is_refused_at_once(text):
    texts()
    requested: list[object] = []

    effort = calls(lambda: requested.append(ask(text)))

    assert requested == [Refused(refusal=requests.RequestRefusal.NOT_UNDERSTOOD)]
    assert effort <= CALLS_TO_REFUSE


def test_several_lines_of_dictation_are_understood():
    text = "Factura para Müller Werkzeuge:\n" + "\n".join(
        f"- Traducción del capítulo {number}, {number} horas a 38 euros más los gastos" for number in range(2, 9)
    )

    draft = ask(text)

    assert isinstance(draft, DraftInvoice)
    assert len(draft.lines) == 7


@cache
def large() -> Speaker:
    """Somebody with 5,000 clients and 1,000 tasks, many of them with the same words."""
    dice = random.Random(5)
    first = ["juan", "maria", "jose", "antonio", "carmen", "ana", "luis", "laura"]
    surnames = ["garcia", "fernandez", "gonzalez", "lopez", "martinez", "perez", "gomez", "ruiz"]
    kinds = ["talleres", "panadería", "café", "estudio", "ferretería", "bodegas", "clínica", "bar"]
    parts = [consonant + vowel for consonant in "bcdfglmnprstv" for vowel in "aeo"]

    def word() -> str:
        return "".join(dice.choices(parts, k=dice.randint(2, 4)))

    people = [f"{dice.choice(first)} {dice.choice(surnames)} {dice.choice(surnames)}".title() for _ in range(2500)]
    shops = [f"{dice.choice(kinds)} {word()} S.L.".title() for _ in range(2500)]
    tasks = [f"{dice.choice(['Llamar a', 'Comprar', 'Enviar', 'Revisar'])} {word()} {word()}" for _ in range(1000)]
    clients = Names([*map(Client, [*people, *shops]), *CLIENTS])
    return Speaker(today=TODAY, language="es", clients=clients, tasks=Names([*map(Titled, tasks), *TASKS]))


LARGE = [
    "factura a acme consulting 300 de la web y mándasela",
    "factura a tayeres norte 3 horas a 45 mas iva",
    "ya ha pagado müller werkzeuge",
    "ya he llamado al gestor",
    "cuánto me debe lola marin",
    *(repeated(part) for part in ("juan", "garcia lopez", "juan garcia maria perez", "hazme una factura a garcia")),
    " ".join(f"{letter}{other}lomeraf" for letter in "bcdfglmnprstv" for other in "aei")[:MOST_CHARACTERS],
]


@pytest.mark.parametrize("text", LARGE, ids=lambda text: text[:30])
def test_thousands_of_clients_cost_little_more(text):
    texts()
    understood("factura a acme 300, y ya he llamado", large())

    assert calls(lambda: understood(text, large())) <= MOST_CALLS


def test_a_client_is_found_among_thousands():
    assert understood(LARGE[0], large()).client.name == "Acme Consulting, S.L."
    assert understood(LARGE[3], large()).task.name == "Llamar al gestor"


ODD = [
    *"?¿!,.;:-+/()[]<>|~^`'\"\\€$£%@#&=_ \n\t\x00\x0b\x85\u2028\ud800\u200d\u202e\ufe0f\U0001f600",
    *"ﷺßİ\u0131ﬁ½²٣①Ⅻ一\uff41\u0301ºÅ…\u2013\u00d7\u00a0\u3000",
    *(
        "e\u0301",
        "n.º",
        "१२",
        "31/02",
        "31 de abril",
        "99/99/9999",
        "2026-02-30",
        "29/02/2027",
        "25:00",
        "la",
        "0",
        "000",
    ),
    *("1e5", "-1", "1.2.3", "1,2,3", "9" * 9, "9" * 10, "9" * 300, "0.000001", "1'000"),
]


def test_no_message_raises():
    """Pieces of real messages and of odd signs, by dice that can be thrown again."""
    dice = random.Random(2026)
    pieces = [word for text in texts() for word in text.split()] + ODD * 5

    for _ in range(examples(3000, one_in=8)):
        text = random_text(dice, pieces)
        request = understood(text, speaker(dice.choice(["es", "en", "ca", ""])))

        assert isinstance(request, REQUESTS), ascii(text)
        reference = getattr(request, "invoice", None)
        if reference is not None:
            meant(reference, INVOICES, ALL_KINDS, today=TODAY)


def random_text(dice: random.Random, pieces: list[str]) -> str:
    kind = dice.randrange(4)
    if kind == 0:
        return dice.choice(["", " "]).join(dice.choices(pieces, k=dice.randint(0, 40)))
    if kind == 1:
        letters = list(dice.choice(texts()))
        for _ in range(dice.randint(1, 6)):
            place = dice.randrange(len(letters) + 1)
            letters[place : place + dice.randint(0, 2)] = dice.choice(pieces)
        return "".join(letters)
    if kind == 2:
        return "".join(chr(dice.choice([dice.randrange(32, 592), dice.randrange(0x110000)])) for _ in range(60))
    first, second = (dice.choice(texts()).split() for _ in range(2))
    return " ".join(first[: dice.randint(0, len(first))] + second[dice.randint(0, len(second)) :])
