"""Dates by Spanish habit: day first, plausible, none where two could be it."""

from datetime import date

import pytest

from ledgerkit.providers.api import ReadField

HEAD = "BAR PACO\nNIF 12345678Z\n"


@pytest.mark.parametrize(
    ("printed", "day"),
    [
        *(("12/03/2026", date(2026, 3, 12)), ("12-03-26", date(2026, 3, 12)), ("12.03.2026", date(2026, 3, 12))),
        *(
            ("12 de marzo de 2026", date(2026, 3, 12)),
            ("12demarzode2026", date(2026, 3, 12)),
            ("2026-03-12", date(2026, 3, 12)),
        ),
        *(("12/O3/2026 14:25", date(2026, 3, 12)), ("5/3/2026", date(2026, 3, 5)), ("23/11/2026", date(2026, 11, 23))),
        *(("12/13/2026", None), ("31/02/2026", None), ("24/11/2026", None), ("12/03/2015", None), ("12/03/26/1", None)),
    ],
)
def test_a_date_is_read_or_none(read, printed, day):
    assert read(HEAD + f"Fecha: {printed}\nTOTAL 12,10\n").issue_date.value == day


def test_the_labelled_date_comes_before_others(read):
    reading = read(HEAD + "Fecha: 12/03/2026\nPedido 01/02/2026\nVencimiento: 11/04/2026\n")

    assert (reading.issue_date.value, reading.due_date.value) == (date(2026, 3, 12), date(2026, 4, 11))


def test_two_dates_without_a_label_give_none(read):
    assert read(HEAD + "12/03/2026\n14/03/2026\nTOTAL 12,10\n").issue_date == ReadField()


def test_a_due_date_before_the_issue_is_none(read):
    assert read(HEAD + "Fecha: 12/03/2026\nVencimiento: 11/02/2026\n").due_date == ReadField()
