"""Random books of a year, entered, paid, moved and filed in any order: every euro is declared once, or named.

The quarters of 2025 are filed one after another; what is entered after one was filed may lie in it. Then the drafts of
2026 and of the year say what is left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.declarations import PATH, Declarant
from support.office import cloned, opened
from support.sampling import examples

YEAR, QUARTERS = 2025, ("Q1", "Q2", "Q3", "Q4")
FIRST = date(YEAR, 1, 1)
FORMS = ("303", "111", "115")
SALES, QUOTA = ("303", "09"), ("303", "29")
WITHHELD = {"professional": ("111", "09"), "rent": ("115", "03")}
YEARLY = {"professional": "190", "rent": "180"}
RATES = {"professional": 15, "rent": 19}

DAYS = st.integers(0, 364).map(lambda days: FIRST + timedelta(days=days))
TURNS = st.integers(0, 4)
"""Place in the order of the filings: before that of the first quarter (0), ... after that of the last one (4)."""


@dataclass(frozen=True)
class Event:
    """A sale, or a purchase with or without retention; paid, and its payment moved, if at all, in later turns."""

    kind: str
    euros: int
    day: date
    turn: int
    pays_after: int | None
    moves_by: int | None


EVENTS = st.builds(
    Event,
    kind=st.sampled_from(["sale", "purchase", "professional", "rent"]),
    euros=st.integers(1, 3_000),
    day=DAYS,
    turn=TURNS,
    pays_after=st.none() | st.integers(0, 100),
    moves_by=st.none() | st.integers(1, 100),
)


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords) as office:
        yield office


class Year:
    """A declarant's year: the documents by their ids, and the declarations that were filed."""

    def __init__(self, declarant: Declarant) -> None:
        self.declarant = declarant
        self.events: dict[str, Event] = {}
        self.paid: dict[str, date] = {}
        self.last_sale = FIRST
        self.filed: list[Any] = []

    async def enter(self, event: Event) -> None:
        if event.kind == "sale":  # numbers follow the dates
            self.last_sale = max(self.last_sale, event.day)
            sale = await self.declarant.sold(event.euros, f"{self.last_sale}")
            self.events[sale["id"]] = event
            return
        terms: dict[str, Any] = {"status": "pending", "vendor": "Uno", "vendorTaxId": "12345678Z"}
        if event.kind in RATES:
            terms |= {"retentionRate": RATES[event.kind], "retentionKind": event.kind}
        expense = await self.declarant.spent(round(event.euros * 1.21, 2), f"{event.day}", **terms)
        self.events[expense["id"]] = event

    async def pay(self, key: str, day: date) -> None:
        await self.declarant.put(f"/api/expenses/{key}", {"status": "paid", "paidAt": f"{day}"})
        self.paid[key] = day

    async def draft(self, form: str, period: str, year: int = YEAR) -> Any:
        return await self.declarant.generated(country="ES", form=form, year=year, period=period)

    async def file(self, form: str, period: str, *, accepts: bool) -> None:
        draft = await self.draft(form, period)
        for proposal in draft["proposals"]:
            if accepts and proposal["kind"] == "deduct_now":
                body = {"proposalId": proposal["id"]}
                draft = (await self.declarant.post(f"{PATH}/{draft['id']}/proposals/accept", body))["declaration"]
        self.filed.append(await self.declarant.submitted(draft))

    def count_filed(self, key: str, place: tuple[str, str]) -> int:
        """Filed declarations that hold a document in a box of a form."""
        form, box = place
        return sum(key in one["evidence"].get(box, []) for one in self.filed if one["form"] == form)

    def sum_filed(self, place: tuple[str, str]) -> Decimal:
        form, box = place
        return sum((Decimal(str(one["boxes"][box])) for one in self.filed if one["form"] == form), Decimal(0))


def turns_of(events: Sequence[Event]) -> Mapping[int, Sequence[Event]]:
    return {turn: [event for event in events if event.turn == turn] for turn in range(5)}


async def lived(office: Any, events: Sequence[Event], accepts: Sequence[bool]) -> Year:
    """Enter the events turn by turn, pay them, move some payments, and file a quarter after each turn but the last."""
    api = await office.account()
    await api.put("/api/teams/current", {"einvoicing": "off"})
    year = Year(Declarant(api.client, api.headers, team=api.team, kernel=office.kernel))
    for turn, entered in turns_of(events).items():
        for key, event in [*year.events.items()]:
            if key in year.paid and event.moves_by is not None and event.turn == turn - 1:
                await year.pay(key, year.paid[key] + timedelta(days=event.moves_by))
        for event in entered:
            await year.enter(event)
            key = [*year.events][-1]
            if event.kind != "sale" and event.pays_after is not None:
                await year.pay(key, event.day + timedelta(days=event.pays_after))
        if turn < len(QUARTERS):
            for form in FORMS:
                await year.file(form, QUARTERS[turn], accepts=accepts[turn])
    return year


def named_in(draft: Any, key: str, box: str) -> Decimal | None:
    """Return what the proposals of a draft add to a box for a document; None where they do not name it."""
    changes = [
        one
        for proposal in draft["proposals"]
        for document in proposal["documents"]
        if document["documentId"] == key
        for one in document["boxes"]
        if one["box"] == box
    ]
    if not changes:
        return None
    return sum((Decimal(str(one["after"] or 0)) - Decimal(str(one["before"] or 0)) for one in changes), Decimal(0))


async def check(office: Any, events: Sequence[Event], accepts: Sequence[bool]) -> None:
    year = await lived(office, events, accepts)
    following = {form: await year.draft(form, "Q1", YEAR + 1) for form in FORMS}

    def times(key: str, place: tuple[str, str]) -> int:
        form, box = place
        draft = following[form]
        in_draft, named = key in draft["evidence"].get(box, []), named_in(draft, key, box) is not None
        return year.count_filed(key, place) + in_draft + named

    for key, event in year.events.items():
        if event.kind == "sale":
            assert times(key, SALES) == 1, event
            continue
        assert times(key, QUOTA) == 1, event
        if event.kind in WITHHELD:
            paid = year.paid.get(key)
            is_later = paid is not None and paid > date(YEAR + 1, 3, 31)
            assert times(key, WITHHELD[event.kind]) in ({0, 1} if is_later else {paid is not None}), event
    for kind, place in WITHHELD.items():
        yearly = await year.draft(YEARLY[kind], "Y")
        named = [named_in(following[place[0]], key, place[1]) for key in year.events]
        left = sum((amount for amount in named if amount is not None), Decimal(0))
        assert Decimal(str(yearly["boxes"]["03"])) == year.sum_filed(place) + left


@pytest.mark.whole
@settings(max_examples=examples(24, one_in=5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(EVENTS, min_size=1, max_size=8), st.lists(st.booleans(), min_size=4, max_size=4))
def test_every_euro_is_declared_once_or_named(office, run, events, accepts):
    run(check(office, events, accepts))
