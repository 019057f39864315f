"""Whatever is changed in a stored chain is found, and the first break is named where it is."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_chain_properties import CHANNEL, ISSUER, START, documents, invoice, link

from ledgerkit.providers.api import (
    Annulment,
    AuditedRecord,
    ChainLink,
    DocumentRef,
    Environment,
    Installation,
    PastRecord,
    Place,
    SealedRecord,
    State,
)
from support.sampling import examples

AUDIT = CHANNEL.audits.audit
HERE = Installation(number="0001", several_issuers=False)
LATER = datetime(2027, 6, 1, tzinfo=UTC)
LENGTH = 6


def sealed() -> list[SealedRecord]:
    """Five invoices, and the annulment of the first."""
    records: list[SealedRecord] = []
    for ordinal in range(1, LENGTH):
        records.append(CHANNEL.seal(invoice(ordinal, Decimal(START.day + ordinal), f"Obra {ordinal}"), place(records)))
    document = DocumentRef(number=records[0].number, issue_date=records[0].issue_date)
    records.append(
        CHANNEL.annuls.seal(
            Annulment(issuer=ISSUER, document=document),
            place(records),
            [PastRecord(kind="issue", state=State.ACCEPTED)],
        )
    )
    return records


def place(records: list[SealedRecord]) -> Place:
    previous = link(records[-1]) if records else None
    at = START + timedelta(seconds=30 * len(records))
    return Place(previous=previous, installation=HERE, at=at, environment=Environment.SANDBOX)


def stored(records: list[SealedRecord]) -> list[tuple[AuditedRecord, bytes]]:
    """As the store keeps them: each with the digest over all bytes so far."""
    digest, found = b"", []
    for position, record in enumerate(records, start=1):
        digest = sha256(digest + record.content).digest()
        kept = AuditedRecord(
            installation=HERE.number,
            position=position,
            kind=record.kind,
            issuer_tax_id=record.issuer_tax_id,
            number=record.number,
            issue_date=record.issue_date,
            content=record.content,
            fingerprint=record.fingerprint,
            generated_at=record.generated_at,
        )
        found.append((kept, digest))
    return found


STORE = stored(sealed())


def found_in(store: list[tuple[AuditedRecord, bytes]], now: datetime = LATER, head: ChainLink | None = None):
    """The anomalies of a chain, its digests compared as the store compares them."""
    before, seen = b"", []
    for kept, digest in store:
        seen.append(replace(kept, altered=sha256(before + kept.content).digest() != digest))
        before = digest
    return list(AUDIT(seen, None, now, head or end_of(STORE)))


def end_of(store: list[tuple[AuditedRecord, bytes]]) -> ChainLink:
    last = store[-1][0]
    names = ("issuer_tax_id", "number", "issue_date", "fingerprint", "position", "generated_at")
    return ChainLink(**{name: getattr(last, name) for name in names})


def with_content(place_: int, content: bytes) -> list[tuple[AuditedRecord, bytes]]:
    store = list(STORE)
    kept, digest = store[place_]
    store[place_] = (replace(kept, content=content), digest)
    return store


places = st.integers(0, LENGTH - 1)


@settings(max_examples=examples(60), deadline=None)
@given(documents())
def test_a_chain_as_it_was_made_has_no_anomaly(given_documents):
    records: list[SealedRecord] = []
    for document, seconds in given_documents:
        previous, at = (link(records[-1]), records[-1].generated_at) if records else (None, START)
        spot = Place(
            previous=previous, installation=HERE, at=at + timedelta(seconds=seconds), environment=Environment.SANDBOX
        )
        records.append(CHANNEL.seal(document, spot))
    store = stored(records)

    assert found_in(store, head=end_of(store)) == []


@settings(max_examples=examples(400), deadline=None)
@given(places, st.data())
def test_flipping_any_bit_of_any_byte_is_found_at_its_record(at, data):
    content = bytearray(STORE[at][0].content)
    byte = data.draw(st.integers(0, len(content) - 1))
    content[byte] ^= 1 << data.draw(st.integers(0, 7))

    first = found_in(with_content(at, bytes(content)))[0]

    assert first.position == at + 1
    assert (first.kind, first.code) in {("content", "03"), ("content", "90"), ("fingerprint", "01")}


@settings(max_examples=examples(200), deadline=None)
@given(places, st.data())
def test_flipping_what_is_hashed_is_found_without_the_digest_of_the_store(at, data):
    content = STORE[at][0].content
    names = [b"NumSerieFactura", b"FechaExpedicionFactura", b"CuotaTotal", b"FechaHoraHusoGenRegistro", b"Huella"]
    starts = [content.find(b"<sum1:" + name) for name in names if b"<sum1:" + name in content]
    begin = content.index(b">", data.draw(st.sampled_from(starts))) + 1
    byte = data.draw(st.integers(begin, content.index(b"<", begin) - 1))
    other = data.draw(st.sampled_from(b"0123456789ABCDEF").filter(lambda one: one != content[byte]))
    records = [kept for kept, _ in STORE]
    records[at] = replace(records[at], content=content[:byte] + bytes([other]) + content[byte + 1 :])

    first = next(iter(AUDIT(records, None, LATER)))

    assert (first.position, first.kind, first.code) == (at + 1, "fingerprint", "01")


@settings(max_examples=examples(60), deadline=None)
@given(places, st.data())
def test_whatever_stands_beside_a_record_must_be_what_it_says(at, data):
    kept, digest = STORE[at]
    changes = {
        "kind": "issue" if kept.kind == "annul" else "annul",
        "issuer_tax_id": "87654321X",
        "number": kept.number + "1",
        "issue_date": kept.issue_date - timedelta(days=1),
        "fingerprint": "A" * 64,
        "generated_at": kept.generated_at + timedelta(seconds=1),
        "installation": "0002",
    }
    name = data.draw(st.sampled_from(sorted(changes)))
    store = list(STORE)
    store[at] = (replace(kept, **{name: changes[name]}), digest)

    first = found_in(store)[0]

    assert (first.position, first.kind, first.code) == (at + 1, "content", "03")


@settings(max_examples=examples(40), deadline=None)
@given(places)
def test_a_record_that_is_missing_is_named(at):
    store = [one for place_, one in enumerate(STORE) if place_ != at]

    first = found_in(store)[0]

    assert (first.position, first.kind, first.code) == (at + 1, "gap", "05" if at == LENGTH - 1 else "04")


@settings(max_examples=examples(40), deadline=None)
@given(places)
def test_a_record_that_was_taken_out_and_the_rest_renumbered_breaks_the_link(at):
    left = [one for place_, one in enumerate(STORE) if place_ != at]
    store = [(replace(kept, position=position), digest) for position, (kept, digest) in enumerate(left, start=1)]

    found = found_in(store)

    wanted = {"gap", "05"} if at == LENGTH - 1 else {"content", "03"}
    assert (found[0].position, {found[0].kind, found[0].code}) == (at + 1, wanted)
    assert {one.kind for one in found} >= ({"gap"} if at == LENGTH - 1 else {"gap", "link"})


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(places, min_size=2, max_size=2, unique=True))
def test_two_records_that_changed_places_are_found_at_the_first_of_them(pair):
    first, second = sorted(pair)
    store = list(STORE)
    store[first], store[second] = store[second], store[first]
    store = [(replace(kept, position=position), digest) for position, (kept, digest) in enumerate(store, start=1)]

    assert found_in(store)[0].position == first + 1


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, LENGTH), places)
def test_a_record_that_was_put_in_is_found(at, copied):
    store = [*STORE[:at], STORE[copied], *STORE[at:]]
    store = [(replace(kept, position=position), digest) for position, (kept, digest) in enumerate(store, start=1)]

    first = found_in(store, head=replace(end_of(STORE), position=LENGTH + 1))[0]

    assert first.position in {at + 1, at + 2}


def test_a_rewritten_record_with_a_new_fingerprint_breaks_the_next_ones_link():
    forged = CHANNEL.seal(invoice(2, Decimal(START.day), "Otra"), place(sealed()[:1]))
    store = list(STORE)
    kept = replace(store[1][0], content=forged.content, fingerprint=forged.fingerprint)
    store[1] = (kept, sha256(STORE[0][1] + forged.content).digest())

    found = list(AUDIT([kept for kept, _ in store], None, LATER))

    assert [(one.position, one.kind, one.code) for one in found] == [(3, "link", "08")]


FIRST = link(sealed()[0])
FORGED_PLACES = {
    "a fingerprint that is none": (replace(FIRST, fingerprint="b" * 64), 60, ("link", "09")),
    "a fingerprint of something else": (replace(FIRST, fingerprint="B" * 64), 60, ("link", "08")),
    "the number of another record": (replace(FIRST, number="F2026-0009"), 60, ("link", "06")),
    "the day of another record": (replace(FIRST, issue_date=FIRST.issue_date - timedelta(days=1)), 60, ("link", "06")),
    "the issuer of another record": (replace(FIRST, issuer_tax_id="87654321X"), 60, ("link", "06")),
    "no record before": (None, 60, ("link", "06")),
    "an earlier moment": (FIRST, -60, ("order", "11")),
    "a day before its invoice's": (FIRST, -86_400, ("date", "14")),
}


@pytest.mark.parametrize(("previous", "seconds", "wanted"), FORGED_PLACES.values(), ids=FORGED_PLACES)
def test_a_record_that_was_made_anew_for_another_place_is_found_by_what_it_says(previous, seconds, wanted):
    """By who can also make fingerprints and digests: each record is sound in itself."""
    at = START + timedelta(seconds=seconds)
    forged = Place(previous=previous, installation=HERE, at=at, environment=Environment.SANDBOX)
    store = stored([sealed()[0], CHANNEL.seal(invoice(2, Decimal(22), "Obra"), forged)])

    found = found_in(store, head=end_of(store))

    assert {one.position for one in found} == {2}
    assert wanted in {(one.kind, one.code) for one in found}
    assert len(found) == (2 if seconds == -86_400 else 1)


def test_a_first_record_that_names_one_before_it_is_found():
    at = Place(previous=FIRST, installation=HERE, at=START, environment=Environment.SANDBOX)
    store = stored([CHANNEL.seal(invoice(2, Decimal(22), "Obra"), at)])

    assert [(one.position, one.code) for one in found_in(store, head=end_of(store))] == [(1, "15")]


@pytest.mark.parametrize(("leaf", "value"), [("IDVersion", b"1.1"), ("TipoHuella", b"02")])
def test_a_version_that_does_not_exist_is_found_though_no_fingerprint_is_over_it(leaf, value):
    records = [kept for kept, _ in STORE]
    begin = records[1].content.index(f":{leaf}>".encode()) + len(leaf) + 2
    content = records[1].content[:begin] + value + records[1].content[begin + len(value) :]
    records[1] = replace(records[1], content=content)

    assert [(one.position, one.kind, one.code) for one in AUDIT(records, None, LATER)] == [(2, "content", "90")]


def test_a_damaged_fingerprint_is_named_with_the_link_that_it_breaks_and_the_next_record_is_not():
    records = [replace(STORE[0][0], fingerprint="A" * 64), *(kept for kept, _ in STORE[1:])]

    found = [(one.position, one.kind, one.code) for one in AUDIT(records, None, LATER)]

    assert found == [(1, "content", "03"), (1, "link", "07")]


@pytest.mark.parametrize(("ahead", "codes"), [(59, []), (61, ["13"])])
def test_a_record_may_be_a_minute_ahead_of_the_clock_and_no_more(ahead, codes):
    now = STORE[-1][0].generated_at - timedelta(seconds=ahead)

    assert [one.code for one in found_in(STORE, now=now)] == codes


def test_a_stretch_is_checked_against_the_record_before_it():
    records = [kept for kept, _ in STORE]
    before = end_of(STORE[:3])

    assert list(AUDIT(records[3:], before, LATER, end_of(STORE))) == []
    wrong = replace(before, fingerprint="B" * 64)
    assert [(one.position, one.code) for one in AUDIT(records[3:], wrong, LATER)] == [(4, "08")]


def test_a_million_records_need_the_memory_of_one():
    kept = STORE[0][0]
    drawn = iter(range(1_000_000))

    def endless():
        for _ in drawn:
            yield kept

    found = AUDIT(endless(), None, LATER)

    assert next(found).position == 1
    assert next(drawn) == 2  # asked for no more than the next two


def test_what_a_record_comes_to_is_read_from_its_literals():
    assert [CHANNEL.audits.amounts(kept.content).gross_total for kept, _ in STORE[-2:]] == [STORE_GROSS, 0]


STORE_GROSS = invoice(LENGTH - 1, Decimal(START.day + LENGTH - 1), "").gross_total
