"""Conditions that must hold afterwards: the server against acknowledgements, messages received and records held."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import Any

from lxml import etree

from ledgerkit.providers.es.sandbox import VerifactuSandbox
from support.chaos.faults import faults, issuer
from support.chaos.lanes import OPEN, TAKEN, Lane

_RECORD = re.compile(rb"<\w+:Registro(Alta|Anulacion)[ >].*?</\w+:Registro\1>", re.DOTALL)
_FIRST = "first"
SPOILING = str(faults(0)["soap fault, client"].soap_code)
"""The code with which the authority refuses a whole message for what a record says."""
REFUSALS = 2
"""So often, alone in its message, before it is the record's fault."""
_HELD = {"accepted": "Correcta", "accepted_with_errors": "AceptadaConErrores", "annulled": "Anulada"}
_ISSUE = (
    "IDEmisorFactura",
    "NumSerieFactura",
    "FechaExpedicionFactura",
    "TipoFactura",
    "CuotaTotal",
    "ImporteTotal",
    "Huella",
    "FechaHoraHusoGenRegistro",
)
_ANNULMENT = (
    "IDEmisorFacturaAnulada",
    "NumSerieFacturaAnulada",
    "FechaExpedicionFacturaAnulada",
    "Huella",
    "FechaHoraHusoGenRegistro",
)


@dataclass(frozen=True)
class Record:
    """A record as its XML tells it; `before` is the fingerprint of the one that it follows."""

    content: bytes
    place: tuple[str, str, str]
    fingerprint: str
    recomputed: str
    number: str

    @property
    def before(self) -> str:
        return self.place[2]


def read(content: bytes) -> Record:
    """Source: AEAT, hash specification 0.1.2, computed here apart from the product."""
    root = etree.fromstring(content)
    leaves = {}
    before = _FIRST
    for leaf in root.iter():
        name, parent = etree.QName(leaf).localname, leaf.getparent()
        inside = "" if parent is None else etree.QName(parent).localname
        if inside == "RegistroAnterior" and name == "Huella":
            before = (leaf.text or "").strip()
        elif inside in {"IDFactura", "SistemaInformatico"} or parent is root:
            leaves[name] = (leaf.text or "").strip()
    annuls = etree.QName(root).localname == "RegistroAnulacion"
    names = _ANNULMENT if annuls else _ISSUE
    fields = leaves | {"Huella": "" if before == _FIRST else before}
    text = "&".join(f"{name}={fields[name]}" for name in names)
    place = (leaves[names[0]], leaves["NumeroInstalacion"], before)
    recomputed = sha256(text.encode()).hexdigest().upper()
    return Record(content, place, leaves["Huella"], recomputed, leaves[names[1]])


class Journal:
    """Records that the authority has received, by their place in a chain: issuer, installation, previous fingerprint.

    `order`: fingerprints by issuer, as they came first.
    """

    def __init__(self) -> None:
        self.received: dict[tuple[str, str, str], Counter[bytes]] = defaultdict(Counter)
        self.order: dict[str, list[str]] = defaultdict(list)
        self.messages = 0
        self._guard = Lock()

    def heard(self, message: bytes) -> None:
        with self._guard:
            self.messages += 1
            for match in _RECORD.finditer(message):
                record = read(match[0])
                seen = self.received[record.place]
                if not seen:
                    self.order[issuer(message)].append(record.fingerprint)
                seen[match[0]] += 1


@dataclass(frozen=True)
class Books:
    """One issuer as the server shows it: its invoices, their statuses, and all records byte for byte."""

    invoices: dict[str, Any]
    standings: dict[str, Any]
    records: Sequence[Record]
    answers: dict[str, tuple[str, str]]
    """State and code of the last answer to each record, by its fingerprint."""


async def books(lane: Lane) -> Books:
    invoices = {one["id"]: one for one in await lane.caller.every("/api/invoices") if one["number"]}
    standings = {id_: await lane.caller.get(f"/api/einvoice/status/{id_}") for id_ in invoices}
    records: dict[str, Record] = {}
    answers: dict[str, tuple[str, str]] = {}
    for id_, standing in standings.items():
        path = f"/api/einvoice/xml/{id_}?fiscalId={standing['fiscalId'].replace('&', '%26')}"
        for one in {entry.get("record", "") for entry in standing["history"]}:
            record = read(await lane.caller.content(f"{path}&record={one}" if one else path))
            records[record.fingerprint] = record
            history = [entry for entry in standing["history"] if entry.get("record", "") == one and entry["status"]]
            answers[record.fingerprint] = (
                (history[-1]["status"], history[-1].get("code") or "") if history else ("", "")
            )
    return Books(invoices, standings, list(records.values()), answers)


def wrong(all_books: Sequence[tuple[Lane, Books]], authority: VerifactuSandbox, journal: Journal) -> list[str]:
    """Everything that is not as it must be, in words."""
    return [
        f"{lane.nif}: {wrong_thing}"
        for lane, issuer_books in all_books
        for check in (
            _lost(lane, issuer_books),
            _numbers(issuer_books),
            _chain(issuer_books),
            _standings(lane, issuer_books, authority),
            _sent(lane, issuer_books, journal),
            _breaks(lane, issuer_books, authority, journal),
        )
        for wrong_thing in check
    ]


def _breaks(lane: Lane, issuer_books: Books, authority: VerifactuSandbox, journal: Journal) -> Iterator[str]:
    """Links that the authority missed, except those whose target it could not know.

    A record that spoils its message (a SOAP fault for its content, when it is alone and twice) is rejected here without
    having been judged there: the authority has refused both messages whole and knows no record of that fingerprint. The
    record stays in the chain all the same, as every rejected one, and the next one has to point to it. So the break is
    right, but only after a record that was rejected so, and that has arrived at least as often.
    """
    places = {record.fingerprint: record.place for record in issuer_books.records}
    for entry in authority.chain_breaks(lane.nif):
        never_judged = (
            entry.chain_break == "the previous fingerprint is unknown"
            and issuer_books.answers.get(entry.previous) == ("rejected", SPOILING)
            and sum(journal.received[places[entry.previous]].values()) >= REFUSALS
        )
        if not never_judged:
            yield f"the authority found a break at {entry.invoice}: {entry.chain_break}"


def _lost(lane: Lane, issuer_books: Books) -> Iterator[str]:
    """Everything acknowledged is there."""
    fingerprints = {record.fingerprint for record in issuer_books.records}
    for answer in lane.told:
        invoice = issuer_books.invoices.get(answer.invoice_id)
        if invoice is None or invoice["number"] != answer.number:
            yield f"{answer} was acknowledged and is not there"
        elif answer.fingerprint is not None and answer.fingerprint not in fingerprints:
            yield f"the record of {answer} was acknowledged and is not there"


def _numbers(issuer_books: Books) -> Iterator[str]:
    """Numbers without gaps and none twice, in each series."""
    series = defaultdict(list)
    for invoice in issuer_books.invoices.values():
        name, _, number = invoice["number"].rpartition("-")
        series[name].append(int(number))
    for name, numbers in series.items():
        if sorted(numbers) != list(range(1, len(numbers) + 1)):
            yield f"series {name} has the numbers {sorted(numbers)}"


def _chain(issuer_books: Books) -> Iterator[str]:
    """Each installation's records are one line from its first record on, with the right fingerprints."""
    chains: dict[str, list[Record]] = defaultdict(list)
    for record in issuer_books.records:
        if record.fingerprint != record.recomputed:
            yield f"{record.number}: its fingerprint is not that of what it says"
        chains[record.place[1]].append(record)
    if len(chains) > 1:
        yield f"there are {len(chains)} installations"
    for installation, records in chains.items():
        following = {record.before: record for record in records}
        length, place = 0, _FIRST
        while place in following and length <= len(records):
            place, length = following[place].fingerprint, length + 1
        if length != len(records):
            yield f"installation {installation}: {length} of {len(records)} records hang together"


def _standings(lane: Lane, issuer_books: Books, authority: VerifactuSandbox) -> Iterator[str]:
    """Every record stands as the authority's register says; none is open."""
    held_records = {entry.invoice[1]: entry for entry in authority.records(lane.nif)}
    by_fingerprint = {record.fingerprint: record for record in issuer_books.records}
    for standing in issuer_books.standings.values():
        number, status = standing["number"], standing["status"]
        entry = held_records.pop(number, None)
        if status in OPEN:
            yield f"{number} is still {status}"
        elif status == "rejected" and entry is not None and entry.fingerprint == standing["hash"]:
            yield f"{number} is held as {entry.state}, and the server says that it was rejected"
        elif status in _HELD and (entry is None or entry.state != _HELD[status]):
            yield f"{number} is {status} here, and {entry.state if entry else 'absent'} at the authority"
        if entry is not None and entry.fingerprint not in by_fingerprint:
            yield f"{number}: the authority holds a record that the server does not know"
        if status in TAKEN and entry is not None and entry.fingerprint != standing["hash"]:
            yield f"{number}: the authority holds another record than the server says"
    yield from (f"the authority holds {number}, which the server does not know" for number in held_records)


def _sent(lane: Lane, issuer_books: Books, journal: Journal) -> Iterator[str]:
    """Nothing was sent twice with different content, and nothing that is not kept as it was sent; all in order."""
    contents = {record.place: record for record in issuer_books.records}
    for place, received in journal.received.items():
        if place[0] != lane.nif:
            continue
        if len(received) > 1:
            yield f"the authority received {len(received)} different records after {place[2]}"
        content = contents.get(place)
        if content is None or content.content not in received:
            yield f"the authority received a record after {place[2]} that the server does not have"
    places = {record.fingerprint: record.before for record in issuer_books.records}
    order = journal.order[lane.nif]
    seen: set[str] = {_FIRST}
    for fingerprint in order:
        if places.get(fingerprint) not in seen:
            yield f"the authority received {fingerprint} before the record that it follows"
        seen.add(fingerprint)


def counted(journal: Journal) -> str:
    times = Counter(min(sum(one.values()), 5) for one in journal.received.values())
    again = ", ".join(f"{number} {'or more ' if often == 5 else ''}{often}x" for often, number in sorted(times.items()))
    return f"{journal.messages} messages with {len(journal.received)} records ({again})"
