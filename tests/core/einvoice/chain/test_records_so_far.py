"""What the records of an invoice amount to, whatever their order: a table."""

from itertools import product
from types import SimpleNamespace

import pytest

from ledgerkit.core.einvoice.chain.history import RecordWithStatus, current, refused, standing
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.providers.api import PastRecord, State

ISSUED, ANNULS = "issue", "annul"

TABLE = [
    ([(ISSUED, "pending")], Standing.OPEN),
    ([(ISSUED, "unknown")], Standing.OPEN),
    ([(ISSUED, "rejected")], Standing.REFUSED),
    ([(ISSUED, "accepted")], Standing.HELD),
    ([(ISSUED, "accepted_with_errors")], Standing.HELD),
    ([(ISSUED, "annulled")], Standing.ANNULLED),
    ([(ISSUED, "rejected"), (ISSUED, "pending")], Standing.OPEN),
    ([(ISSUED, "rejected"), (ISSUED, "rejected")], Standing.REFUSED),
    ([(ISSUED, "rejected"), (ISSUED, "accepted")], Standing.HELD),
    ([(ISSUED, "accepted"), (ISSUED, "pending")], Standing.OPEN),
    ([(ISSUED, "accepted"), (ISSUED, "rejected")], Standing.HELD),
    ([(ISSUED, "rejected"), (ANNULS, "pending")], Standing.ANNULLING),
    ([(ISSUED, "rejected"), (ANNULS, "rejected")], Standing.REFUSED),
    ([(ISSUED, "rejected"), (ANNULS, "accepted")], Standing.ANNULLED),
    ([(ISSUED, "accepted"), (ANNULS, "pending")], Standing.ANNULLING),
    ([(ISSUED, "accepted"), (ANNULS, "unknown")], Standing.ANNULLING),
    ([(ISSUED, "accepted"), (ANNULS, "rejected")], Standing.HELD),
    ([(ISSUED, "accepted"), (ANNULS, "accepted")], Standing.ANNULLED),
    ([(ISSUED, "accepted"), (ANNULS, "annulled")], Standing.ANNULLED),
    ([(ISSUED, "accepted"), (ANNULS, "rejected"), (ANNULS, "accepted")], Standing.ANNULLED),
    ([(ISSUED, "accepted"), (ANNULS, "accepted"), (ISSUED, "pending")], Standing.REACTIVATING),
    ([(ISSUED, "accepted"), (ANNULS, "accepted"), (ISSUED, "unknown")], Standing.REACTIVATING),
    ([(ISSUED, "accepted"), (ANNULS, "accepted"), (ISSUED, "rejected")], Standing.ANNULLED),
    ([(ISSUED, "accepted"), (ANNULS, "accepted"), (ISSUED, "accepted")], Standing.HELD),
    ([(ISSUED, "rejected"), (ANNULS, "accepted"), (ISSUED, "rejected"), (ISSUED, "pending")], Standing.REACTIVATING),
]


def records(past):
    return [PastRecord(kind=kind, state=State(state)) for kind, state in past]


@pytest.mark.parametrize(("past", "expected"), TABLE, ids=[" ".join(f"{k}:{s}" for k, s in row) for row, _ in TABLE])
def test_where_an_invoice_stands_follows_from_its_records(past, expected):
    assert standing(records(past)) is expected


def test_a_refusal_never_changes_what_is_held():
    kinds, states = (ISSUED, ANNULS), ("rejected", "accepted", "accepted_with_errors", "annulled")
    for before in product(product(kinds, states), repeat=2):
        for kind in kinds:
            after = [*before, (kind, "rejected")]

            assert standing(records(after)) is standing(records(before)), after


def test_an_invoice_is_shown_as_rejected_only_where_the_authority_holds_nothing_of_it():
    kinds, states = (ISSUED, ANNULS), ("rejected", "accepted", "annulled", "pending")
    for later in product(product(kinds, states), repeat=2):
        for first in states:
            past = [(ISSUED, first), *later]
            shown = current([found(kind, state) for kind, state in past])
            if (ANNULS, "pending") in past or (ISSUED, "pending") in past:
                continue

            nothing = standing(records(past)) is Standing.REFUSED
            assert (shown.status.state == "rejected") is nothing, past


def test_a_refused_correction_is_told_beside_what_is_held():
    held, attempt, annulment = found(ISSUED, "accepted"), found(ISSUED, "rejected"), found(ANNULS, "rejected")

    assert refused([held, attempt]) is attempt
    assert refused([held, attempt, annulment]) is attempt
    assert refused([held, annulment]) is None
    assert refused([attempt]) is None
    assert refused([held, attempt, found(ISSUED, "pending")]) is None


def found(kind: str, state: str) -> RecordWithStatus:
    return RecordWithStatus(SimpleNamespace(kind=kind), SimpleNamespace(state=state))
