"""Standing of an invoice by its records, in every order: a table."""

from itertools import product

import pytest

from ledgerkit.core.einvoice.chain.history import RecordWithStatus, current, refused, standing
from ledgerkit.core.einvoice.table import FiscalRecordRow, RecordStatusRow
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.providers.api import PastRecord, State
from support.rows import row

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


def records(steps):
    return [PastRecord(kind=kind, state=State(state)) for kind, state in steps]


def record(kind: str, state: str) -> RecordWithStatus:
    return RecordWithStatus(row(FiscalRecordRow, kind=kind), row(RecordStatusRow, state=state))


@pytest.mark.parametrize(("steps", "expected"), TABLE, ids=[" ".join(map(":".join, steps)) for steps, _ in TABLE])
def test_an_invoices_standing_follows_from_its_records(steps, expected):
    assert standing(records(steps)) is expected


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
            steps = [(ISSUED, first), *later]
            shown = current([record(kind, state) for kind, state in steps])
            if (ANNULS, "pending") in steps or (ISSUED, "pending") in steps:
                continue

            nothing = standing(records(steps)) is Standing.REFUSED
            assert (shown.status.state == "rejected") is nothing, steps


def test_a_refused_correction_is_told_beside_what_is_held():
    accepted, attempt, annulment = record(ISSUED, "accepted"), record(ISSUED, "rejected"), record(ANNULS, "rejected")

    assert refused([accepted, attempt]) is attempt
    assert refused([accepted, attempt, annulment]) is attempt
    assert refused([accepted, annulment]) is None
    assert refused([attempt]) is None
    assert refused([accepted, attempt, record(ISSUED, "pending")]) is None
