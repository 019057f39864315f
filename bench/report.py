"""The bench's one table."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Figures = Mapping[str, Mapping[str, float]]

LINES = {
    "1 account": "create+issue, 1 account, 32 connections",
    "raw 1 account": "    raw asyncpg, the same statements",
    "100 accounts": "create+issue, 100 accounts, 32 connections",
    "raw 100 accounts": "    raw asyncpg, the same statements",
    "1 account, 32": "create+issue, 1 account, 32 connections, beside 8",
    "1 account, 8": "create+issue, 1 account, 8 connections",
    "1 account, 1": "create+issue, 1 account, 1 connection",
    "plain, 1": "make and store an invoice, 1 account",
    "sealed, 1": "make and seal an invoice, 1 account",
    "plain alone, 1": "  the transaction that stores",
    "sealed alone, 1": "  the transaction that seals",
    "plain, 8": "make and store an invoice, 8 at once",
    "sealed, 8": "make and seal an invoice, 8 at once",
    "plain alone, 8": "  the transaction that stores",
    "sealed alone, 8": "  the transaction that seals",
    "issued": "create+issue without records, 32 connections",
    "emitted": "create+emit, nothing sent meanwhile",
    "crowd": "create+emit+send, many issuers",
    "bare route": "bare FastAPI route, 8 connections",
    "list of 1,000": "list of 50 of 1,000, 8 connections",
    "list of 100,000": "list of 50 of 100,000, 8 connections",
    "one invoice": "one invoice, 8 connections",
    "ledger": "ledger of 20,000 invoices, 5,000 expenses",
    "form": "VAT form of the same quarter, generated",
    "raw ledger": "    raw asyncpg, the same statements",
    "forms of new accounts after an import": "VAT forms of 200 new accounts, 8 connections",
    "large form after an import": "one of 20,000 invoices, 5,000 bills, just imported",
    "forms of new accounts": "VAT forms of 200 new accounts again",
    "large form": "the large one 20 times, on the same connections",
    "forms of new accounts, later": "VAT forms of 200 new accounts after it",
    "alone": "one invoice, 1 connection",
    "beside a model": "    beside 20 requests that wait for a model",
    "pdf": "one PDF, laid out, 1 connection",
    "cached pdf": "one PDF, from the cache, 8 connections",
    "get by REST": "one invoice by REST, 8 connections",
    "get by a tool": "    by get_invoice",
    "list by REST": "list of 20 by REST, 8 connections",
    "list by a tool": "    by list_invoices",
    "draft by REST": "a draft by REST, 8 connections",
    "draft by a tool": "    by create_invoice",
    "draft by a proposal": "    proposed and approved",
    "assistants": "list_invoices by 50 assistants at once",
    "owed by REST": "who owes what, by REST, 1 connection",
    "owed, the turn alone": "    in a chat, the turn alone, 200 clients",
    "owed in a chat": "    in a chat, with all that brings and takes it",
    "accepted in a chat": "a sentence, two taps, the accepted PDF",
}

SIZES = ("small", "large")
"""An account with 1,000 invoices, expenses and catalog items each, and 100 proposals that wait.

The large one has 100,000, 50,000, 20,000 and 10,000.
"""

_YEAR = datetime.now(UTC).year
_PAST = "from=2025-01-01&to=2025-12-31"
"""A year without a document in either account: sums cost by the documents of their period."""

GROWING = {
    "invoices": "/api/invoices?limit=50",
    "invoices of a status": "/api/invoices?limit=50&status=paid",
    "overdue invoices": "/api/invoices?limit=50&status=overdue",
    "invoices of some days": f"/api/invoices?limit=50&from={_YEAR}-01-01&to={_YEAR}-02-01",
    "invoices of a kind": "/api/invoices?limit=50&docType=credit_note",
    "invoices of a series": "/api/invoices?limit=50&series=F",
    "search for a number": "/api/invoices?limit=50&search=0999",
    "search for a client": "/api/invoices?limit=50&search=cliente%201007",
    "expenses": "/api/expenses?limit=50",
    "expenses of a category": "/api/expenses?limit=50&category=office",
    "search in expenses": "/api/expenses?limit=50&search=compra%201007",
    "vendors of expenses": "/api/expenses/vendors?limit=50",
    "catalog": "/api/catalog?limit=50",
    "search in the catalog": "/api/catalog?limit=50&search=producto%20777",
    "low stock": "/api/catalog/low-stock?limit=50",
    "categories": "/api/catalog/categories",
    "proposals that wait": "/api/approvals?limit=50&status=pending",
    "profit and loss": f"/api/expenses/profit-loss?{_PAST}",
    "income": f"/api/expenses/income-summary?{_PAST}",
    "tax summary": "/api/expenses/tax-summary?year=2025&quarter=1",
    "VAT balance": "/api/expenses/vat-balance?year=2025&quarter=1",
}
"""Lists, searches and overviews that must not slow down as an account grows."""


@dataclass(frozen=True)
class Target:
    """A ratio, or MiB, and what it should be."""

    name: str
    wanted: str
    holds: Callable[[float], bool]
    value: Callable[[Figures], float]


def _ratio(one: str, other: str) -> Callable[[Figures], float]:
    return lambda figures: figures[one]["rate"] / figures[other]["rate"]


def _cpu_ratio(one: str, other: str) -> Callable[[Figures], float]:
    return lambda figures: figures[one]["cpu"] / figures[other]["cpu"]


TARGETS = [
    Target("create+issue / raw, 1 account", ">= 0.35", lambda v: v >= 0.35, _ratio("1 account", "raw 1 account")),
    Target(
        "create+issue / raw, 100 accounts", ">= 0.30", lambda v: v >= 0.30, _ratio("100 accounts", "raw 100 accounts")
    ),
    Target(
        "1 account: 32 connections / 8", ">= 1 (0.95)", lambda v: v >= 0.95, _ratio("1 account, 32", "1 account, 8")
    ),
    Target("1 account: 8 connections / 1", ">= 1 (0.95)", lambda v: v >= 0.95, _ratio("1 account, 8", "1 account, 1")),
    Target("sealing: make+seal / make+store, 1 account", "<= 1.3", lambda v: v <= 1.3, _ratio("plain, 1", "sealed, 1")),
    Target("sealing: make+seal / make+store, 8 at once", "<= 1.3", lambda v: v <= 1.3, _ratio("plain, 8", "sealed, 8")),
    Target("list of 1,000 / bare route", ">= 0.15", lambda v: v >= 0.15, _ratio("list of 1,000", "bare route")),
    Target("list of 100,000 / bare route", ">= 0.15", lambda v: v >= 0.15, _ratio("list of 100,000", "bare route")),
    Target("time of list: 100,000 / 1,000", "<= 1.5", lambda v: v <= 1.5, _ratio("list of 1,000", "list of 100,000")),
]
TARGETS += [
    Target(f"{name}: large / small", "<= 1.5", lambda v: v <= 1.5, _ratio(f"{name}, small", f"{name}, large"))
    for name in GROWING
]
TARGETS += [
    Target(f"time of the {name} / raw ledger", "<= 3", lambda v: v <= 3, _ratio("raw ledger", name))
    for name in ("ledger", "form")
]
TARGETS.append(
    Target(
        "p99 of a GET beside 20 that wait for a model / alone",
        "<= 1.5",
        lambda v: v <= 1.5,
        lambda figures: figures["beside a model"]["p99"] / figures["alone"]["p99"],
    )
)
TARGETS += [
    Target(
        f"CPU of a tool call / REST: {name}",
        "<= 1.15",
        lambda v: v <= 1.15,
        _cpu_ratio(f"{name} by a tool", f"{name} by REST"),
    )
    for name in ("get", "list", "draft")
]
TARGETS.append(
    Target(
        "CPU of proposing and approving / doing: draft",
        "<= 2.4",
        lambda v: v <= 2.4,
        _cpu_ratio("draft by a proposal", "draft by REST"),
    )
)
TARGETS += [
    Target(
        "CPU of a turn in a chat / REST",
        "<= 1.5",
        lambda v: v <= 1.5,
        _cpu_ratio("owed, the turn alone", "owed by REST"),
    ),
    Target(
        "seconds from a sentence to the accepted PDF",
        "<= 1.5",
        lambda v: v <= 1.5,
        lambda figures: figures["accepted in a chat"]["p50"] / 1000,
    ),
]
MEMORY = Target("memory of the server, MiB", "< 250", lambda v: v < 250, lambda _: 0)


@dataclass(frozen=True)
class Findings:
    """Findings reported beside the rates.

    MiB of each process, the statements of one issue and of one sealing, how many issuers fared.
    """

    memory: Mapping[str, float]
    statements: Mapping[str, Any]
    sealing: Mapping[str, int]
    crowd: Mapping[str, Any]
    conditions: str


def show(figures: Figures, found: Findings) -> None:
    print("\n".join(lines(figures, found)))


def lines(figures: Figures, found: Findings) -> Iterator[str]:
    yield f"{'':46}{'per second':>12}{'p50 ms':>10}{'p99 ms':>10}{'CPU ms':>10}"
    for name, title in LINES.items():
        if name in figures:
            one = figures[name]
            cpu = f"{one['cpu']:>10.2f}" if "cpu" in one else ""
            yield f"{title:46}{one['rate']:>12.1f}{one['p50']:>10.2f}{one['p99']:>10.2f}{cpu}"
    yield "(CPU: of the one Python process that serves, or speaks raw, for each; neither PostgreSQL's nor the load's)"
    yield ""
    yield f"{'':46}{'measured':>12}{'to reach':>14}"
    for target in TARGETS:
        try:
            value = target.value(figures)
        except KeyError:
            continue
        yield _verdict(target, value)
    yield _verdict(MEMORY, found.memory["server"])
    for name, size in found.memory.items():
        if name != "server":
            yield f"{'memory of ' + name + ', MiB':46}{size:>12.0f}"
    yield ""
    yield from _statements(figures, found)
    if found.crowd:
        yield from _crowd(found.crowd, figures["crowd"]["rate"])
    yield found.conditions
    yield "Medians of alternating rounds. Ratios count; absolute figures are this machine's, at this hour."


def _statements(figures: Figures, found: Findings) -> Iterator[str]:
    if said := found.statements:
        yield (
            f"One create+issue is {said['statements']} statements, BEGIN and COMMIT included, "
            f"in {said['transactions']} transactions."
        )
    if said := found.sealing:
        alone = [figures[f"plain alone, {n}"]["rate"] / figures[f"sealed alone, {n}"]["rate"] for n in (1, 8)]
        yield (
            f"The transaction that seals is {said['sealed']} statements, the one that only stores {said['plain']}, "
            f"BEGIN and COMMIT included; alone it takes {alone[0]:.2f} times as long (1 account), {alone[1]:.2f} (8)."
        )
    if {"issued", "emitted"} <= figures.keys():
        ratio = figures["issued"]["rate"] / figures["emitted"]["rate"]
        yield f"create+emit against create+issue, by HTTP: {ratio:.2f} (the QR drawn, the answer waited for and read)."


def _crowd(crowd: Mapping[str, Any], sealed: float) -> Iterator[str]:
    records = crowd["records"]
    yield (
        f"{crowd['issuers']} issuers at once, {crowd['documents']} documents each: {sealed:.1f} records a second "
        f"sealed, {records / crowd['seconds']:.1f} sent; {crowd['messages']} messages, {crowd['disorder']} records "
        "before their turn."
    )
    yield (
        f"When half of all had arrived, the slowest issuer had {crowd['least']} there and the fastest {crowd['most']}; "
        f"the first was through after {crowd['first_done']:.1f} s, the last after {crowd['last_done']:.1f} s."
    )


def _verdict(target: Target, value: float) -> str:
    figure = f"{value:.0f}" if value > 20 else f"{value:.2f}"
    return f"{target.name:46}{figure:>12}{target.wanted:>14}  {'' if target.holds(value) else 'MISSED'}".rstrip()
