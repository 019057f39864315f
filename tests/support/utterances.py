"""Messages by people who had not seen the grammar, and how well it understands them.

The books that the messages are about, and the judgement calls behind what is expected, are explained in
`tests/core/messaging/language/utterances/README.md`.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from ledgerkit.core.messaging.language import requests
from ledgerkit.core.messaging.language.grammar import Speaker, understood
from ledgerkit.core.messaging.language.names import Names, parts_of
from ledgerkit.core.messaging.language.references import ALL_KINDS, ISSUED, PAYABLE, InvoiceKind, KnownInvoice, meant
from ledgerkit.core.messaging.language.words import plain

TODAY = date(2026, 3, 18)
USUAL_VAT, USUAL_RETENTION = Decimal(21), Decimal(15)


@dataclass(frozen=True)
class Client:
    name: str
    is_foreign: bool = False


@dataclass(frozen=True)
class Titled:
    name: str


CLIENTS = [
    *map(
        Client, ("Talleres Norte, S.L.", "Acme Consulting, S.L.", "Panadería San José, S.L.", "Ferretería García, S.L.")
    ),
    *map(Client, ("García e Hijos, C.B.", "Café Ñandú, S.L.", "Sol y Mar, S.A.", "Estudio 22, S.L.")),
    *map(Client, ("Ayuntamiento de Teruel", "María José Núñez Prat", "Juan Pérez Gómez", "Juan Pérez Molina")),
    Client("Müller Werkzeuge GmbH", is_foreign=True),
    Client("O'Brien Ltd", is_foreign=True),
    Client("Lola Marín"),
]
TASKS = list(map(Titled, ("Llamar al gestor", "Presupuesto Estudio 22", "Renovar dominio")))


def _known(number: str | None, client: str, total: str, issued: date, state: str) -> KnownInvoice:
    return KnownInvoice(
        id=number or "draft",
        number=number,
        client_name=client,
        total=Decimal(total),
        due=Decimal(total if state in {"open", "overdue"} else 0),
        issue_date=issued,
        due_date=None if state == "draft" else issued + timedelta(days=30),
        is_draft=state == "draft",
        is_open=state in {"open", "overdue"},
        is_overdue=state == "overdue",
    )


INVOICES = [
    _known("F2026-0001", "Talleres Norte, S.L.", "1060", date(2026, 1, 12), "overdue"),
    _known("F2026-0002", "Acme Consulting, S.L.", "530", date(2026, 1, 20), "paid"),
    _known("F2026-0003", "Panadería San José, S.L.", "318", date(2026, 2, 2), "overdue"),
    _known("F2026-0004", "Müller Werkzeuge GmbH", "2400", date(2026, 2, 16), "open"),
    _known("F2026-0005", "Café Ñandú, S.L.", "159", date(2026, 2, 27), "open"),
    _known("F2026-0006", "Talleres Norte, S.L.", "424", date(2026, 3, 5), "open"),
    _known("F2026-0007", "Juan Pérez Gómez", "242", date(2026, 3, 10), "open"),
    _known(None, "Sol y Mar, S.A.", "848", date(2026, 3, 9), "draft"),
]
_TOTALS = {invoice.id: invoice.total for invoice in INVOICES}
_CLIENTS, _TASKS = Names(CLIENTS), Names(TASKS)


def speaker(language: str = "es") -> Speaker:
    return Speaker(today=TODAY, language=language, clients=_CLIENTS, tasks=_TASKS)


def ask(text: str, language: str = "es") -> requests.Request:
    return understood(text, speaker(language))


# ---------------------------------------------------------------- what was understood


@dataclass(frozen=True)
class Answer:
    """An outcome with its act and the slots that the messages' authors name."""

    outcome: str
    act: str
    slots: Mapping[str, object] = field(default_factory=dict)


_ACTS = {
    requests.DraftInvoice: "draft_invoice",
    requests.MarkPaid: "mark_paid",
    requests.SendInvoice: "send_invoice",
    requests.CreditNote: "credit_note",
    requests.CreateTask: "create_task",
    requests.CompleteTask: "complete_task",
    requests.CloseTill: "close_till",
    requests.Undo: "undo",
    requests.Silence: "silence",
    requests.Unlink: "unlink",
    requests.SetDigest: "set_digest",
}
_KINDS: Mapping[type, frozenset[InvoiceKind]] = {
    requests.MarkPaid: PAYABLE,
    requests.SendInvoice: ALL_KINDS,
    requests.CreditNote: ISSUED,
}


def answered(text: str, language: str) -> Answer:
    """Answer a message as the bot would, with the invoices of the fixed books."""
    request = ask(text, language)
    if isinstance(request, requests.Ask):
        return Answer("ask", request.lack.value)
    if isinstance(request, requests.Refused):
        return Answer("refuse", request.refusal.value)
    if isinstance(request, requests.Question):
        return _answer(request)
    return _proposal(request)


def _answer(question: requests.Question) -> Answer:
    slots: dict[str, object] = {"client": question.client.name if question.client else None}
    if question.topic is requests.Topic.VAT:
        slots["quarter"] = f"{question.first.year}-Q{(question.first.month + 2) // 3}"
    if question.topic is requests.Topic.RESULTS:
        slots |= {"from": question.first.isoformat(), "to": question.last.isoformat()}
    if question.topic is requests.Topic.Z_REPORT:
        slots["date"] = question.first.isoformat()
    reference = question.invoice
    is_of_client = reference is not None and reference == requests.InvoiceRef(client=reference.client)
    if reference is None or (is_of_client and question.topic is requests.Topic.INVOICE_STATE):
        return Answer("answer", question.topic.value, slots)
    invoice = _meant(reference, ALL_KINDS)
    if invoice is None:
        return Answer("ask", "which_invoice")
    return Answer("answer", question.topic.value, slots | {"invoice": invoice})


def _meant(reference: requests.InvoiceRef, kinds: frozenset[InvoiceKind]) -> str | None:
    found = meant(reference, INVOICES, kinds, today=TODAY)
    return found[0].id if len(found) == 1 else None


def _proposal(act: requests.Act) -> Answer:
    slots: dict[str, object] = {}
    if isinstance(act, requests.MarkPaid | requests.SendInvoice | requests.CreditNote):
        invoice = _meant(act.invoice, _KINDS[type(act)])
        if invoice is None:
            return Answer("ask", "which_invoice")
        slots["invoice"] = invoice
        amount = getattr(act, "amount", None)
        slots["amount"] = None if amount == _TOTALS[invoice] else amount
    if isinstance(act, requests.MarkPaid):
        slots |= {"date": _iso(act.date), "method": act.method}
    if isinstance(act, requests.DraftInvoice):
        slots |= _draft_slots(act)
    if isinstance(act, requests.CreateTask):
        slots |= {"title": act.title, "due_date": _iso(act.due_date)}
    if isinstance(act, requests.CompleteTask):
        slots["task"] = act.title
    if isinstance(act, requests.CloseTill):
        slots["counted"] = act.counted
    if isinstance(act, requests.Silence):
        slots |= {"until": _iso(act.until), "off": act.is_off or None}
    if isinstance(act, requests.SetDigest):
        slots |= {"hour": act.hour, "off": act.hour is None or None}
    return Answer("propose", _ACTS[type(act)], slots)


def _draft_slots(draft: requests.DraftInvoice) -> Mapping[str, object]:
    due = draft.due_date
    if due is None and draft.due_days is not None:
        due = (draft.issue_date or TODAY) + timedelta(days=draft.due_days)
    return {
        "client": draft.client.name,
        "lines": [(line.quantity, line.unit_price) for line in draft.lines],
        "vat": draft.vat_rate,
        "vat_included": draft.vat_included,
        "retention": draft.retention_rate,
        "issue_date": _iso(draft.issue_date),
        "due_date": _iso(due),
        "issue": draft.issue,
    }


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


# ---------------------------------------------------------------- judging it

AMOUNTS_AND_DATES = frozenset(
    [
        "lines",
        "vat",
        "retention",
        "vat_included",
        "amount",
        "counted",
        "issue_date",
        "due_date",
        "date",
        "until",
        "hour",
        "quarter",
        "from",
        "to",
    ]
)
_WRONG_IF_DIFFERENT = (AMOUNTS_AND_DATES - {"until", "quarter", "from", "to"}) | {"client", "invoice"}
"""Slots of a proposal that cost money or trust if they are wrong and nobody looks at the card."""

_COMPARED = AMOUNTS_AND_DATES - {"lines", "vat_included"} | {"method", "invoice", "task"}
_UNSAID = frozenset({"vat", "retention", "issue_date", "due_date", "date", "amount", "counted"})
"""Slots of a proposal that have to be empty where the message says nothing of them."""


@dataclass(frozen=True)
class Verdict:
    """Comparison of an answer with what the author expected of a message."""

    text: str
    expected: Answer
    given: Answer
    has_outcome: bool
    has_act: bool
    differing: Sequence[str]

    @property
    def is_wrong(self) -> bool:
        """True for a proposal where another one, or a question, was expected."""
        is_other_proposal = self.given.outcome == "propose" and not self.has_act
        return is_other_proposal or bool(_WRONG_IF_DIFFERENT & set(self.differing))

    @property
    def has_wrong_amounts(self) -> bool:
        return bool(AMOUNTS_AND_DATES & set(self.differing))

    def __str__(self) -> str:
        expected, given = (f"{answer.outcome}/{answer.act}" for answer in (self.expected, self.given))
        differing = {name: (self.expected.slots.get(name), self.given.slots.get(name)) for name in self.differing}
        return f"{self.text!r}: expected {expected}, got {given} {differing or ''}"


@dataclass(frozen=True)
class Score:
    """Shares of a set of messages; of the amounts and dates, of those that were understood."""

    outcome: float
    amounts_and_dates: float
    wrong: float
    verdicts: Sequence[Verdict]

    def __str__(self) -> str:
        return f"outcome {self.outcome:.3f}, amounts and dates {self.amounts_and_dates:.3f}, wrong {self.wrong:.3f}"


def scored(path: Path) -> Score:
    verdicts = [judged(utterance) for utterance in tomllib.loads(path.read_text())["utterance"]]
    counts = Counter(
        {
            "outcome": sum(verdict.has_outcome for verdict in verdicts),
            "understood": sum(verdict.has_act for verdict in verdicts),
            "amounts": sum(verdict.has_act and not verdict.has_wrong_amounts for verdict in verdicts),
            "wrong": sum(verdict.is_wrong for verdict in verdicts),
        }
    )
    return Score(
        counts["outcome"] / len(verdicts),
        counts["amounts"] / counts["understood"],
        counts["wrong"] / len(verdicts),
        verdicts,
    )


def judged(utterance: Mapping[str, object]) -> Verdict:
    text, language = str(utterance["text"]), str(utterance["language"])
    expected = Answer(str(utterance["outcome"]), str(utterance["act"]), utterance)
    other = (utterance.get("or_outcome", expected.outcome), utterance.get("or_act", expected.act))
    given = answered(text, language)
    is_first = (given.outcome, given.act) == (expected.outcome, expected.act)
    return Verdict(
        text=text,
        expected=expected,
        given=given,
        has_outcome=given.outcome in {expected.outcome, other[0]},
        has_act=is_first or (given.outcome, given.act) == other,
        differing=sorted(set(_differing(expected, given))) if is_first else [],
    )


def _differing(expected: Answer, given: Answer) -> Iterator[str]:
    for name in _COMPARED:
        if name in expected.slots:
            if not _is_same(name, expected.slots[name], given.slots.get(name)):
                yield name
        elif expected.outcome == "propose" and name in _UNSAID and _says_more(name, given.slots.get(name)):
            yield name
    if _has_other_client(expected, given):
        yield "client"
    if "lines" in expected.slots:
        yield from _differing_lines(expected, given)
    if "title" in expected.slots and _bare(expected.slots["title"]) != _bare(given.slots.get("title")):
        yield "title"


def _is_same(name: str, wanted: object, value: object) -> bool:
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        if value is None:
            return not _says_more(name, Decimal(str(wanted)))
        return Decimal(str(wanted)) == Decimal(str(value))
    return str(wanted) == str(value)


def _says_more(name: str, value: object) -> bool:
    """True where a slot says something that is not the case anyway."""
    usual = {"vat": USUAL_VAT, "retention": USUAL_RETENTION, "issue_date": TODAY.isoformat()}
    return value is not None and value != usual.get(name)


def _has_other_client(expected: Answer, given: Answer) -> bool:
    wanted, client = expected.slots.get("client"), given.slots.get("client")
    if expected.outcome == "ask" or "invoice" in given.slots:
        return False
    if wanted is None:
        return expected.act in {"receivables", "overdue"} and client is not None
    return client is None or not set(parts_of(str(wanted))) <= set(parts_of(str(client)))


def _differing_lines(expected: Answer, given: Answer) -> Iterator[str]:
    """Compare quantities and prices; lines that are split otherwise, with the same sum, are told apart."""
    wanted = sorted(
        (Decimal(str(line.get("quantity", 1))), Decimal(str(line["unit_price"]))) for line in expected.slots["lines"]
    )
    lines = sorted(given.slots["lines"])
    if wanted != lines:
        sums = [sum(quantity * price for quantity, price in each) for each in (wanted, lines)]
        yield "lines" if sums[0] != sums[1] else "lines of the same sum"
    for name in ("vat_included", "issue"):
        if bool(expected.slots.get(name)) != bool(given.slots.get(name)):
            yield name


def _bare(title: object) -> list[str]:
    return plain(str(title or "")).strip(" .").split()
