"""Model of an invoice after any history, written without the product's code."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass
class Entry:
    """One invoice as the caller should see it."""

    id: str
    issue_date: date
    due_date: date
    total: float
    state: str = "draft"
    number: str | None = None
    emitted: bool = False
    deleted: bool = False
    paid: int = 0
    share_token: str | None = None

    @property
    def issued(self) -> bool:
        return self.state != "draft"

    @property
    def owed(self) -> int:
        """In cents."""
        return 0 if self.state == "paid" else cents(self) - self.paid

    def pay(self, amount: int) -> None:
        """A part, in cents."""
        self.paid += amount
        self.state = "sent" if self.owed else "paid"

    @property
    def in_books(self) -> bool:
        """Issued, and not voided by its deletion (interface decisions B10)."""
        return self.issued and (not self.deleted or self.emitted)

    def status(self, today: date) -> str:
        """As T1 and B8 have it: overdue is derived."""
        late = self.state == "sent" and self.owed > 0 and self.due_date < today
        return "overdue" if late else self.state


@dataclass
class Book:
    """One account's invoices, and the numbers it has ever given. `reported`: what is issued is emitted with that."""

    reported: bool = True
    entries: dict[str, Entry] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    last_date: date = date.min

    @property
    def listed(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if not entry.deleted]

    def may_issue(self, entry: Entry) -> bool:
        """Return True unless the invoice's date lies before the series' last."""
        return entry.issued or entry.issue_date >= self.last_date

    def note(self, shown: dict[str, Any]) -> Entry:
        """A draft that has just been made."""
        entry = Entry(
            id=shown["id"],
            issue_date=date.fromisoformat(shown["issueDate"]),
            due_date=date.fromisoformat(shown["dueDate"]),
            total=shown["total"],
        )
        self.entries[entry.id] = entry
        return entry

    def issue(self, entry: Entry, state: str, number: str) -> None:
        """A draft becomes `state` with the next number; an issued document keeps its own."""
        if entry.issued:
            assert number == entry.number
            entry.state = "paid" if "paid" in {entry.state, state} else entry.state
            return
        self.numbers.append(number)
        assert number == f"F{entry.issue_date.year}-{len(self.numbers):04d}"
        entry.state, entry.number, self.last_date = state, number, entry.issue_date
        entry.emitted = self.reported

    def figures(self) -> tuple[int, int, int]:
        """Figures of its client: the count of documents, their sum, and the debt, in cents."""
        counted = [entry for entry in self.entries.values() if entry.in_books]
        return len(counted), sum(map(cents, counted)), sum(entry.owed for entry in counted)


def cents(entry: Entry) -> int:
    return round(entry.total * 100)
