"""Days in messages, seen from Wednesday, 18 March 2026."""

from datetime import date

import pytest

from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import day_at, days_in
from ledgerkit.core.messaging.language.words import words_of
from support.utterances import TODAY, ask

AHEAD = [
    ("mañana", "2026-03-19"),
    ("pasado mañana", "2026-03-20"),
    ("el viernes", "2026-03-20"),
    ("el próximo viernes", "2026-03-20"),
    ("el viernes de la semana que viene", "2026-03-27"),
    ("viernes 27 de marzo", "2026-03-27"),
    ("fin de mes", "2026-03-31"),
    ("el último día del mes", "2026-03-31"),
    ("finales de abril", "2026-04-30"),
    ("principios de abril", "2026-04-01"),
    ("mediados del mes que viene", "2026-04-15"),
    ("en 15 días", "2026-04-02"),
    ("dentro de un mes", "2026-04-18"),
    ("el 5", "2026-04-05"),
    ("30 de abril de 2026", "2026-04-30"),
    ("03/04", "2026-04-03"),
    ("15/4/26", "2026-04-15"),
    ("2026-03-31", "2026-03-31"),
    ("la semana que viene", "2026-03-23"),
    ("next Monday", "2026-03-23"),
    ("Friday the 27th", "2026-03-27"),
    ("the 1st of May", "2026-05-01"),
    ("April 15th", "2026-04-15"),
    ("the twenty first of April", "2026-04-21"),
    ("in two weeks", "2026-04-01"),
    ("month end", "2026-03-31"),
]

BEHIND = [
    ("ayer", "2026-03-17"),
    ("anteayer", "2026-03-16"),
    ("el viernes", "2026-03-13"),
    ("el viernes pasado", "2026-03-13"),
    ("el 12", "2026-03-12"),
    ("el 25", "2026-02-25"),
    ("12/12", "2025-12-12"),
    ("hace dos semanas", "2026-03-04"),
    ("last Friday", "2026-03-13"),
    ("two days ago", "2026-03-16"),
    ("on Monday", "2026-03-16"),
    ("this morning", "2026-03-18"),
]


def language_of(text: str) -> str:
    return "en" if any(word in text for word in ("the", "next", "last", "ago", "on ", "in two", "th", "end")) else "es"


@pytest.mark.parametrize(("text", "day"), AHEAD)
def test_a_day_ahead_is_the_next_one(text, day):
    assert on(text, Direction.AHEAD) == date.fromisoformat(day)


@pytest.mark.parametrize(("text", "day"), BEHIND)
def test_a_day_behind_is_the_last_one(text, day):
    assert on(text, Direction.BEHIND) == date.fromisoformat(day)


def on(text: str, direction: Direction) -> date | None:
    return day_at(words_of(text), 0, language_of(text)).on(TODAY, direction)


@pytest.mark.parametrize("text", ["la 5", "5 horas", "el 5 %", "la 7", "31/02", "99/99", "the second stage", "hola"])
def test_other_words_are_no_day(text):
    assert days_in(words_of(text), language_of(text)) == []


@pytest.mark.parametrize("day", ["31 de abril", "30 de febrero"])
def test_a_day_that_there_is_not_is_asked_about(day):
    assert ask(f"factura a acme 300, vence el {day}").lack.value == "ambiguous"


def test_a_payment_lies_behind_and_a_due_date_ahead():
    assert ask("müller pagó el viernes").date == date(2026, 3, 13)
    assert ask("factura a acme 300, vence el viernes").due_date == date(2026, 3, 20)


def test_a_vague_day_is_no_day_of_payment():
    assert ask("müller pagó la semana pasada").date is None


def test_what_will_be_paid_next_week_does_not_date_the_payment():
    assert ask("el ñandú me dio 50, el resto la semana que viene").date is None
