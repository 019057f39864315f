"""The authority of the sandbox: takes the bytes of a message, judges every record, stores, and answers.

Knows nothing of HTTP or TLS. Safe to call from any thread: messages are judged one after the other.
"""

import secrets
from collections import deque
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from threading import Lock

import structlog

from ledgerkit import clock
from ledgerkit.providers.es.sandbox import answers, demands, qr, questions
from ledgerkit.providers.es.sandbox.answers import Result, is_remark
from ledgerkit.providers.es.sandbox.faults import Fault, Spoil, markers
from ledgerkit.providers.es.sandbox.forms import Setting
from ledgerkit.providers.es.sandbox.messages import Annulment, Issue, Submission, SubmissionError
from ledgerkit.providers.es.sandbox.reading import read
from ledgerkit.providers.es.sandbox.register import (
    ANNULLED,
    HELD,
    HELD_WITH_ERRORS,
    Entry,
    Register,
    entry_of_others,
    is_of_others,
)
from ledgerkit.providers.es.sandbox.rules import refusal, remark

TIME_ZONE = "Europe/Madrid"
_RECEIVED_MESSAGES, _RECEIVED_BYTES = 1000, 64 * 1024 * 1024
_CSV_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Answer, its delay, and how it is spoiled. `status` is the HTTP status (SOAP 1.1: 500 for a fault)."""

    status: int
    body: bytes
    delay_seconds: float = 0
    spoil: Spoil | None = None


class Authority:
    """One stand-in for the tax agency, over the register of one directory."""

    def __init__(self, directory: Path, *, wait_seconds: int = 0) -> None:
        self.register = Register(directory)
        self.wait_seconds = wait_seconds
        self.page_size = questions.MAX_PAGE
        self._asked: deque[bytes] = deque(maxlen=_RECEIVED_MESSAGES)
        self._received: deque[bytes] = deque(maxlen=_RECEIVED_MESSAGES)
        self._received_size = 0
        self._lock = Lock()

    @property
    def received(self) -> tuple[bytes, ...]:
        """The latest messages, oldest first, as they came; at most 1000 of them and 64 MiB."""
        with self._lock:
            return tuple(self._received)

    @property
    def asked(self) -> tuple[bytes, ...]:
        """The latest questions, oldest first, as they came; at most 1000."""
        return tuple(self._asked)

    def open(self) -> None:
        with self._lock:
            self.register.open()

    def close(self) -> None:
        with self._lock:
            self.register.close()

    def entries(self, issuer: str) -> tuple[Entry, ...]:
        """List the holdings of an issuer (NIF), one entry per invoice."""
        with self._lock:
            return self.register.entries(issuer)

    def breaks(self, issuer: str) -> tuple[Entry, ...]:
        """The stored records of an issuer whose link did not continue their chain."""
        with self._lock:
            return self.register.breaks(issuer)

    def hold(self, entry: Entry) -> None:
        """Register a record as if other software had reported it."""
        with self._lock:
            self.register.note(entry)
            self.register.sync()

    def check_qr(self, query: str) -> tuple[str, bytes]:
        """The public check of a QR: content type and body."""
        with self._lock:
            return qr.check(self.register, query)

    def note_question(self, body: bytes) -> None:
        """Remember a question for `asked`."""
        self._asked.append(body)

    def keep(self, body: bytes) -> None:
        """Remember a message for `received`, and forget the oldest beyond the bounds."""
        with self._lock:
            if len(self._received) == _RECEIVED_MESSAGES:
                self._received_size -= len(self._received.popleft())
            self._received.append(body)
            self._received_size += len(body)
            while self._received_size > _RECEIVED_BYTES and len(self._received) > 1:
                self._received_size -= len(self._received.popleft())

    def receive(self, body: bytes, fault: Fault) -> Reply:
        """Judge one message. What was stored is on the disk when this returns."""
        if fault.soap_code is not None:
            return _fault(fault.soap_code)
        with self._lock:
            try:
                return self._process(read(body, clock.today(TIME_ZONE)), fault)
            except SubmissionError as error:
                return _fault(error.code, error.detail)
            except OSError:
                log.exception("sandbox register cannot be written")
                return _fault(3501)

    def answer_to_demand(self, body: bytes, fault: Fault) -> Reply:
        """Judge an answer to a demand; nothing of it is registered."""
        if fault.soap_code is not None:
            return _fault(fault.soap_code)
        try:
            submission, elements = demands.read(body, clock.today(TIME_ZONE))
        except SubmissionError as error:
            return _fault(error.code, error.detail)
        setting = Setting(header=submission.header, now=clock.local_now(TIME_ZONE))
        return self._reply(submission, demands.judge(submission, elements), setting, fault)

    def _process(self, submission: Submission, fault: Fault) -> Reply:
        setting = Setting(header=submission.header, now=clock.local_now(TIME_ZONE))
        marks_of_records = [
            markers(record.description) if isinstance(record, Issue) else {} for record in submission.records
        ]
        for marks in marks_of_records:
            if "fault" in marks:
                raise SubmissionError(marks["fault"])
        results, active = [], dict[str, int]()
        for record, marks in zip(submission.records, marks_of_records, strict=True):
            if "taken" in marks and not any(map(is_of_others, self.register.entries(record.issuer))):
                self.register.note(entry_of_others(record.invoice, Decimal(marks["taken"]) / 100))
            first_time = record.fingerprint not in self.register.chain(record.chain).invoices
            wanted_code = fault.reject or marks.get("reject") or fault.warn or marks.get("warn")
            results.append(self._judge(record, setting, wanted_code))
            active |= {name: value for name, value in marks.items() if name == "wait" or first_time}
        self.register.sync()
        return self._reply(submission, results, setting, _with_marks(fault, active))

    def answer(self, body: bytes, fault: Fault) -> Reply:
        """Answer a question about the holdings."""
        if fault.soap_code is not None:
            return _fault(fault.soap_code)
        with self._lock:
            try:
                question = questions.read(body)
                entries = self.register.entries(question.issuer)
            except SubmissionError as error:
                return _fault(error.code, error.detail)
        content = questions.answer(question, entries, self.page_size)
        return Reply(status=200, body=content, delay_seconds=fault.delay_seconds, spoil=fault.spoil)

    def _reply(self, submission: Submission, results: list[Result], setting: Setting, fault: Fault) -> Reply:
        csv = None
        if any(result.stored for result in results):
            csv = "SBX-" + "".join(secrets.choice(_CSV_ALPHABET) for _ in range(16))
        wait = self.wait_seconds if fault.wait_seconds is None else fault.wait_seconds
        at = setting.now.isoformat(timespec="seconds")
        body = answers.answer(submission.header, results, csv=csv, at=at, wait=wait)
        return Reply(status=200, body=body, delay_seconds=fault.delay_seconds, spoil=fault.spoil)

    def _judge(self, record: Issue | Annulment, setting: Setting, wanted_code: int | None) -> Result:
        code = refusal(record, setting)
        duplicate = None
        if wanted_code is not None and not is_remark(wanted_code):
            code = wanted_code
        elif code is None:
            code = self._admissible(record)
            duplicate = self.register.entry_of(record.invoice) if code == 3000 else None
        if code is None:
            has_records = self.register.chain(record.chain).stored > 0
            code = wanted_code or remark(record, setting, chain_has_records=has_records)
        result = Result(record=record, code=code, duplicate=duplicate)
        if duplicate is None:
            self._note(result, setting)
        return result

    def _admissible(self, record: Issue | Annulment) -> int | None:
        """Return 3000 when the invoice is already there and must not be, 3002 when it must be there and is not."""
        is_held = self.register.entry_of(record.invoice) is not None
        if isinstance(record, Issue):
            expected = record.amendment == "S" and record.previous_rejection != "X"
        else:
            expected = record.without_previous != "S"
        if is_held == expected:
            return None
        return 3000 if is_held else 3002

    def _note(self, result: Result, setting: Setting) -> None:
        record, link = result.record, result.record.link
        recipient = next(iter(record.recipients), None) if isinstance(record, Issue) else None
        state = _held_state(result)
        previous = link.fingerprint if link else ""
        linked = (link.issuer, link.number, link.issue_date) if link else None
        broken = self.register.chain_break(record.chain, previous, linked, record.fingerprint)
        if broken and state:
            log.warning("sandbox chain broken", issuer=record.issuer, number=record.number, reason=broken)
        self.register.note(
            Entry(
                chain=record.chain,
                invoice=record.invoice,
                kind=type(record).__name__.lower(),
                state=state,
                code=result.code,
                petition=f"{setting.now:%Y%m%d%H%M%S}{self.register.count % 1_000_000:06d}",
                fingerprint=record.fingerprint,
                previous=previous,
                at=setting.now.isoformat(timespec="seconds"),
                total=record.total if isinstance(record, Issue) else None,
                chain_break=broken if state else None,
                period=self._period(record),
                presenter=(setting.header.representative or setting.header.issuer).nif or "",
                type=record.type if isinstance(record, Issue) else None,
                tax_total=record.tax_total if isinstance(record, Issue) else None,
                generated_at=record.generated_at,
                incident=setting.header.incident,
                recipient=None if recipient is None else recipient.name,
                recipient_nif=None if recipient is None else recipient.nif,
            )
        )

    def _period(self, record: Issue | Annulment) -> str:
        """Month of the operation, else of the issue; an annulment stays in the month of its invoice."""
        entry = self.register.entry_of(record.invoice)
        if isinstance(record, Annulment) and entry is not None:
            return entry.month
        literal = record.operation_date if isinstance(record, Issue) and record.operation_date else record.issue_date
        return f"{literal[6:]}-{literal[3:5]}"


def _with_marks(fault: Fault, marks: dict[str, int]) -> Fault:
    """Return the queued fault, completed by the records' own markers."""
    return replace(
        fault,
        wait_seconds=marks.get("wait") if fault.wait_seconds is None else fault.wait_seconds,
        delay_seconds=fault.delay_seconds or marks.get("delay", 0),
        spoil=fault.spoil or (Spoil.LOST if "lost" in marks else None),
    )


def _held_state(result: Result) -> str:
    if not result.stored:
        return ""
    if isinstance(result.record, Annulment):
        return ANNULLED
    return HELD if result.code is None else HELD_WITH_ERRORS


def _fault(code: int, detail: str = "") -> Reply:
    return Reply(status=500, body=answers.fault(code, detail))
