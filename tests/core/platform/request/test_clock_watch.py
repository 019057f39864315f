"""A clock that is wrong is warned of; only one that shows another day stops invoicing."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.commands.examining.clocks import of_database
from ledgerkit.commands.examining.findings import Weight
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference, ReferenceTime, is_wrong, other_day
from ledgerkit.telemetry.metrics import CLOCK_OFFSET
from support.api import Api

MADRID = "Europe/Madrid"
NEW_YEAR = datetime(2026, 12, 31, 23, 0, tzinfo=UTC)
"""Midnight in Madrid."""


@pytest.mark.parametrize(("seconds", "wrong"), [(0, False), (60, False), (61, True), (-60, False), (-61, True)])
def test_a_minute_is_tolerated(seconds, wrong):
    assert is_wrong(timedelta(seconds=seconds)) is wrong


@pytest.mark.parametrize(
    ("ours", "ahead", "expected"),
    [
        (NEW_YEAR + timedelta(seconds=30), timedelta(minutes=2), True),
        (NEW_YEAR + timedelta(seconds=30), timedelta(minutes=1), False),
        (NEW_YEAR + timedelta(minutes=3), timedelta(minutes=2), False),
        (NEW_YEAR - timedelta(seconds=30), timedelta(minutes=-2), True),
        (NEW_YEAR + timedelta(hours=5), timedelta(days=2), True),
        (NEW_YEAR + timedelta(hours=5), timedelta(hours=-2), False),
    ],
)
def test_the_day_is_that_of_the_accounts_place(ours, ahead, expected):
    assert other_day(ours, ahead, MADRID) is expected
    assert other_day(ours - timedelta(hours=1), ahead, "Etc/GMT-2") is expected


def test_what_a_reference_said_goes_on_and_is_forgotten_after_an_hour():
    reading = ReferenceTime(NEW_YEAR, 100.0)

    assert reading.now(160.0) == NEW_YEAR + timedelta(minutes=1)
    assert (reading.is_valid(3700.0), reading.is_valid(3701.0)) == (True, False)


# ---------------------------------------------------------------- beside the real PostgreSQL


@pytest.fixture
async def watch(kernel, database) -> ClockWatch:
    found = kernel.service(ClockWatch)
    async with database.asking() as connection:
        await found.ask(connection)
    return found


def within_the_day(offset: timedelta) -> timedelta:
    """The offset, or as much backwards, whichever leads to no other day in Madrid."""
    here = clock.local_now(MADRID)
    return offset if (here + offset).date() == here.date() else -offset


def at(offset: timedelta) -> time_machine.travel:
    return time_machine.travel(datetime.now(UTC) + offset, tick=True)


async def test_a_right_clock_is_not_mentioned(watch, ana, capsys):
    draft = await ana.invoice()

    await ana.patch(f"/api/invoices/{draft['id']}/pay")

    assert abs(watch.offsets()[Reference.DATABASE]) < timedelta(seconds=30)
    assert "clock is wrong" not in capsys.readouterr().out


async def test_a_clock_wrong_within_the_day_is_warned_of_and_invoicing_goes_on(watch, ana, database, capsys):
    draft, offset = await ana.invoice(), within_the_day(timedelta(minutes=5))
    with at(offset):
        await ana.patch(f"/api/invoices/{draft['id']}/pay")
        async with database.asking() as connection:
            await watch.ask(connection)

    assert capsys.readouterr().out.count("clock is wrong") == 1
    measured = CLOCK_OFFSET.labels(Reference.DATABASE)._value.get()
    assert measured == pytest.approx(offset.total_seconds(), abs=30)


@pytest.mark.parametrize("days", [2, -2])
async def test_a_clock_of_another_day_stops_issuing_before_anything_is_numbered(watch, ana, days):
    draft = await ana.invoice(issueDate=f"{clock.today(MADRID) - timedelta(days=3)}")
    by_key = Api(ana.client, {"x-api-key": ana.api_key, "X-Team-Id": ana.team["id"]})
    with at(timedelta(days=days)):
        problem = await by_key.refused(503, "PATCH", f"/api/invoices/{draft['id']}/pay", None)

    assert (problem["code"], "NTP" in problem["remedy"]) == ("CLOCK_WRONG", True)
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None
    assert (await ana.patch(f"/api/invoices/{draft['id']}/pay"))["status"] == "paid"


async def test_the_authoritys_clock_counts_too(watch, ana):
    draft = await ana.invoice()
    watch.note(Reference.AUTHORITY, datetime.now(UTC) - timedelta(days=2))

    problem = await ana.refused(503, "PATCH", f"/api/invoices/{draft['id']}/pay", None)

    assert problem["code"] == "CLOCK_WRONG"


async def test_the_doctor_says_it(kernel, watch):
    right = await of_database(kernel)
    with at(timedelta(minutes=-5)):
        wrong = await of_database(kernel)

    assert (right.weight, wrong.weight) == (Weight.GOOD, Weight.ADVISED)
    assert "-30" in wrong.line("en") or "-29" in wrong.line("en")
