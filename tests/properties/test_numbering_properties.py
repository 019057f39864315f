"""Numbers without a gap and dates in their order, whatever is issued, taken back, deleted or moved, in any order.

Without e-invoicing, since what is reported is neither taken back nor moved.
"""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgerkit.core.einvoice.issuance import numbers
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceChange, InvoiceInput
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.problems import Code, Invalid, NotFound
from support.api import invoice_body
from support.office import cloned, opened
from support.sampling import examples

DAYS = st.integers(-20, 0)
STEPS = st.one_of(
    st.tuples(st.just("issue"), DAYS),
    st.tuples(st.just("withdraw"), st.integers(0, 20)),
    st.tuples(st.just("delete"), st.integers(0, 20)),
    st.tuples(st.just("move"), st.integers(0, 20), DAYS),
)


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords) as office:
        yield office


class Series:
    """One account's invoices as they were when they were issued, the oldest first."""

    def __init__(self, ctx) -> None:
        self.ctx = ctx
        self.issued = []

    async def take(self, step) -> None:
        """One step; those that the rules refuse change nothing."""
        name, *values = step
        try:
            await getattr(self, name)(*values)
        except Invalid as refusal:
            assert refusal.code == Code.ISSUE_DATE_BEFORE_LAST, refusal.detail  # noqa: PT017 - others are failures
        except NotFound:
            assert name in {"withdraw", "delete", "move"}

    async def issue(self, days: int) -> None:
        on = self.ctx.account.today() + timedelta(days=days)
        draft = await invoices.create(self.ctx, InvoiceInput.model_validate(invoice_body(issueDate=on.isoformat())))
        async with self.ctx.transaction() as inner:
            self.issued.append((await numbers.issue(inner, await lifecycle.fetch_locked(inner, draft.id))).row)

    async def withdraw(self, which: int) -> None:
        """As after a refused mail: with the invoice as it was when it was issued, whatever has happened since."""
        if self.issued:
            async with self.ctx.transaction() as inner:
                await lifecycle.withdraw(inner, self.issued[which % len(self.issued)], Values(InvoiceRow))

    async def delete(self, which: int) -> None:
        if self.issued:
            await invoices.delete(self.ctx, str(self.issued[which % len(self.issued)].id))

    async def move(self, which: int, days: int) -> None:
        if self.issued:
            on = self.ctx.account.today() + timedelta(days=days)
            change = InvoiceChange(issue_date=on, due_date=on + timedelta(days=30))
            await invoices.update(self.ctx, str(self.issued[which % len(self.issued)].id), change)


async def numbered(office, account: UUID):
    query = "select ordinal, number, issue_date from invoice where account_id = :account and ordinal is not null"
    return await office.rows(f"{query} order by ordinal", account=account)


async def follow(office, steps) -> None:
    api = await office.account()
    await api.put("/api/teams/current", {"einvoicing": "off"})
    account = UUID(api.team["id"])
    series = Series(await accounts.system_context(office.kernel, account))
    for step in steps:
        await series.take(step)
        found = await numbered(office, account)
        assert [row.ordinal for row in found] == list(range(1, len(found) + 1))
        assert [row.number for row in found] == [f"F2026-{row.ordinal:04d}" for row in found]
        dates = [row.issue_date for row in found]
        assert dates == sorted(dates)
        counters = await office.rows("select next, last_date from invoice_counter where account_id = :a", a=account)
        assert [tuple(row) for row in counters] == ([(len(found) + 1, dates[-1])] if found else [])


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=1, max_size=14))
def test_any_interleaving_keeps_ordinals_gapless_and_dates_in_order(office, run, steps):
    run(follow(office, steps))
