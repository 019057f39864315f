"""Holdings of the authority: one state per invoice, one chain per installation, in an append-only file.

Every judged record is one JSON line; a message's lines are written and synced to disk before it is answered, and
replayed at start, so that duplicates and chains are known after a restart. A line that a crash left torn is cut.
"""

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import IO

import structlog

from ledgerkit import clock
from ledgerkit.problems import Code, Unavailable
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.settings import private_files

HELD, HELD_WITH_ERRORS, ANNULLED = "Correcta", "AceptadaConErrores", "Anulada"

Chain = tuple[str, str, str, str]
Invoice = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One judged record. `state` is empty when it was refused; `total` is the literal of the invoice's total.

    `chain_break` says why its link does not continue the chain; the authority stores it all the same. `period` is the
    month of operation, else of issue (yyyy-mm).
    """

    chain: Chain
    invoice: Invoice
    kind: str
    state: str
    code: int | None
    petition: str
    fingerprint: str
    previous: str
    at: str
    total: str | None = None
    chain_break: str | None = None
    period: str = ""
    presenter: str = ""
    type: str | None = None
    tax_total: str | None = None
    generated_at: str | None = None
    incident: str | None = None
    recipient: str | None = None
    recipient_nif: str | None = None

    @property
    def month(self) -> str:
        """Month under which a query finds it, yyyy-mm; older sandboxes lack it, so the month of issue counts."""
        return self.period or f"{self.invoice[2][6:]}-{self.invoice[2][3:5]}"


@dataclass
class ChainState:
    """Chain of one installation: invoices by their records' fingerprints, and each fingerprint's successor."""

    stored: int = 0
    last: str = ""
    invoices: dict[str, Invoice] = field(default_factory=dict)
    followed_by: dict[str, str] = field(default_factory=dict)


class Register:
    """The entries of one directory. Not safe for threads: the authority serialises its use."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "register.jsonl"
        self._file: IO[bytes] | None = None
        self._forget()

    def open(self) -> None:
        """Replay the file. Raises Unavailable when another process already serves this directory."""
        private_files.make_directory(self._path.parent)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        private_files.close_to_others(self._path)
        file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            directory = self._path.parent
            raise Unavailable(VerifactuMsg.SANDBOX_TAKEN, code=Code.INTERNAL, directory=directory) from error
        self._file = file
        self._replay(file)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def entry_of(self, invoice: Invoice) -> Entry | None:
        """The record the authority holds of an invoice, None when it holds nothing."""
        return self._held.get(invoice)

    def chain(self, chain: Chain) -> ChainState:
        """Return a chain; one that does not exist yet is returned empty and not stored."""
        return self._chains.get(chain) or ChainState()

    def entries(self, issuer: str) -> tuple[Entry, ...]:
        """List the holdings of an issuer, in the order in which each invoice was first stored."""
        return tuple(entry for entry in self._held.values() if entry.invoice[0] == issuer)

    def breaks(self, issuer: str) -> tuple[Entry, ...]:
        """The stored records of an issuer whose link did not continue their chain."""
        return tuple(entry for entry in self._breaks if entry.invoice[0] == issuer)

    def find(self, invoice: Invoice) -> Entry | None:
        """Return the holding that the public check of a QR shows: none for an annulled invoice."""
        entry = self.entry_of(invoice)
        return None if entry is None or entry.state == ANNULLED else entry

    def chain_break(self, chain: Chain, previous: str, link: Invoice | None, fingerprint: str) -> str | None:
        """Explain why a record with this link does not continue the chain, None when it does."""
        state = self.chain(chain)
        if link is None:
            return "first record, but the chain has records" if state.invoices else None
        if previous not in state.invoices:
            return "the previous fingerprint is unknown"
        if state.invoices[previous] != link:
            return "the previous fingerprint stands for another invoice"
        if state.followed_by.get(previous, fingerprint) != fingerprint:
            return "the previous record already has another successor"
        return None

    def note(self, entry: Entry) -> None:
        """Remember an entry at once; `sync` makes it last."""
        self._apply(entry)
        self._unwritten.append(entry)

    def sync(self) -> None:
        """Write the noted entries to the disk. On OSError all of them are forgotten again and the error is raised."""
        file = self._file
        if file is None:
            raise OSError("the register is closed")
        if not self._unwritten:
            return
        size = file.seek(0, os.SEEK_END)
        try:
            _write(file, b"".join(map(_line, self._unwritten)))
        except OSError:
            file.truncate(size)
            self._replay(file)
            raise
        self._unwritten.clear()

    def _forget(self) -> None:
        self._held: dict[Invoice, Entry] = {}
        self._chains: dict[Chain, ChainState] = {}
        self._breaks: list[Entry] = []
        self._unwritten: list[Entry] = []
        self.count = 0

    def _replay(self, file: IO[bytes]) -> None:
        self._forget()
        file.seek(0)
        content = file.read()
        whole, newline, torn = content.rpartition(b"\n")
        if torn:
            file.truncate(len(whole) + len(newline))
        for entry in _read(whole.splitlines()):
            self._apply(entry)

    def _apply(self, entry: Entry) -> None:
        self.count += 1
        chain = self._chains.setdefault(entry.chain, ChainState())
        chain.invoices.setdefault(entry.fingerprint, entry.invoice)
        if entry.previous:
            chain.followed_by.setdefault(entry.previous, entry.fingerprint)
        if entry.state:
            chain.stored += 1
            chain.last = entry.fingerprint
            self._held[entry.invoice] = entry
            if entry.chain_break:
                self._breaks.append(entry)


def _write(file: IO[bytes], lines: bytes) -> None:
    view = memoryview(lines)
    while view:
        view = view[file.write(view) :]
    os.fsync(file.fileno())


def _line(entry: Entry) -> bytes:
    return json.dumps(asdict(entry), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _read(lines: Iterable[bytes]) -> Iterable[Entry]:
    for number, line in enumerate(lines, start=1):
        try:
            fields = json.loads(line)
            issuer, invoice_number, issue_date = fields.pop("invoice")
            first, producer, system, installation = fields.pop("chain")
            yield Entry(
                invoice=(issuer, invoice_number, issue_date),
                chain=(first, producer, system, installation),
                **fields,
            )
        except (ValueError, TypeError, KeyError) as error:
            structlog.get_logger().warning("sandbox register line unreadable", line=number, error=str(error))


RECIPIENT_NIF = "B12345674"
_ZONE = "Europe/Madrid"
_OTHER_SOFTWARE = ("A00000000", "XX", "OTHER")
"""Producer, system and installation of the other software."""


def is_of_others(stored_entry: Entry) -> bool:
    """Return True for a record that other software has reported."""
    return stored_entry.chain[1:] == _OTHER_SOFTWARE


def entry_of_others(
    invoice: Invoice, total: Decimal, *, recipient: str | None = None, is_annulled: bool = False, period: str = ""
) -> Entry:
    """Make the record of an invoice (issuer's NIF, number, date as dd-mm-yyyy) with this total, in euros.

    `period`: month of the operation (yyyy-mm), by default that of the issue.
    """
    now = clock.local_now(_ZONE).isoformat(timespec="seconds")
    literal = f"{total:.2f}"
    fingerprint = sha256("".join((*invoice, literal, now)).encode()).hexdigest().upper()
    return Entry(
        chain=(invoice[0], *_OTHER_SOFTWARE),
        invoice=invoice,
        kind="annulment" if is_annulled else "issue",
        state=ANNULLED if is_annulled else HELD,
        code=None,
        petition=f"{int(fingerprint[:12], 16):020d}"[:20],
        fingerprint=fingerprint,
        previous="",
        at=now,
        total=None if is_annulled else literal,
        period=period,
        presenter=invoice[0],
        type=None if is_annulled else "F1",
        generated_at=now,
        recipient=recipient,
        recipient_nif=None if recipient is None else RECIPIENT_NIF,
    )
