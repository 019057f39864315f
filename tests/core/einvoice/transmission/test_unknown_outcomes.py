"""Questions about records whose answer was lost: about all of them, as few and as narrow as possible."""

from datetime import date

from ledgerkit.core.einvoice.table import FiscalRecordRow
from ledgerkit.core.einvoice.transmission import unknown_outcomes
from ledgerkit.providers.api import Question
from support.rows import row


def sent_record(number: str, issue_date: date, operated_on: date) -> FiscalRecordRow:
    return row(FiscalRecordRow, number=number, issue_date=issue_date, operated_on=operated_on)


def records(*days: date, operated: date | None = None) -> list[FiscalRecordRow]:
    return [sent_record(f"A-{ordinal}", day, operated or day) for ordinal, day in enumerate(days)]


def test_a_few_are_asked_for_by_their_numbers():
    day = date(2026, 11, 21)

    asked = unknown_outcomes.questions(records(*[day] * unknown_outcomes.ASKED_SINGLY_UP_TO))

    assert asked == [
        Question(year=2026, month=11, number=f"A-{ordinal}") for ordinal in range(unknown_outcomes.ASKED_SINGLY_UP_TO)
    ]


def test_many_are_asked_for_by_the_days_of_their_issue_from_the_first_to_the_last():
    days = [date(2026, 11, day) for day in (20, 3, 28, 11)]

    assert unknown_outcomes.questions(records(*days)) == [
        Question(year=2026, month=11, first=min(days), last=max(days))
    ]


def test_each_is_asked_for_in_the_month_of_its_operation():
    many = records(*[date(2026, 11, 30)] * 4, operated=date(2026, 10, 31))
    one = sent_record("B-1", date(2026, 11, 30), date(2026, 11, 30))

    assert unknown_outcomes.questions([*many, one]) == [
        Question(year=2026, month=10, first=date(2026, 11, 30), last=date(2026, 11, 30)),
        Question(year=2026, month=11, number="B-1"),
    ]


def test_the_records_of_one_document_are_one_question():
    day = date(2026, 11, 21)

    assert unknown_outcomes.questions([sent_record("A-1", day, day)] * 5) == [
        Question(year=2026, month=11, number="A-1")
    ]
