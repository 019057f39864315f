"""Cost of sealing: an invoice that is made, numbered and sealed, against one that is made, numbered and stored.

Both in one process on the real PostgreSQL, by the services themselves: a draft in a transaction of its own, then the
one that issues it, whose share is told apart. The sealed one is what the first transaction of an emission does. The
plain one locks and numbers the invoice in the same way, gives it the same stamp and the same entries in the log, and
stores a finished record of the same size by two plain INSERTs: it locks no chain and looks at none, checks nothing,
hashes nothing, writes no XML and wakes no sender.
"""

import cProfile
import os
import pstats
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from uuid import UUID

from load import INVOICE
from process import figures, repeated, serve_jobs
from raw import Statement, overheard
from sqlalchemy import insert, select

from ledgerkit.core.einvoice import operations as einvoice
from ledgerkit.core.einvoice.table import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts.profiles import system_context
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.issuance.lifecycle import Settlement
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

AT_ONCE = 8
WARM = 4
LINES = 70
BLOCK = 5
"""Turns of each account, after which it is the other kind's turn."""

DRAFT = InvoiceInput.model_validate(INVOICE)

_STATUS = Prepared(insert(fiscal_status), columns=["record_id", "installation_id", "position", "state"])


Issuing = Callable[[Context, str], Awaitable[Any]]
"""Issues the draft of that id, within a transaction."""


class Issuer:
    """An account, and how its invoices are issued."""

    def __init__(self, ctx: Context, issue: Issuing) -> None:
        self.ctx, self._issue = ctx, issue
        self.issuing: list[float] = []

    async def turn(self) -> None:
        """One invoice, from nothing; how many seconds the transaction took that issued it is added to `issuing`."""
        draft = await self.draft()
        begin = perf_counter()
        await self.issue(draft)
        self.issuing.append(perf_counter() - begin)

    async def draft(self) -> str:
        return (await invoices.create(self.ctx, DRAFT)).id

    async def issue(self, draft: str) -> None:
        async with self.ctx.transaction() as inner:
            await self._issue(inner, draft)


async def seal(inner: Context, invoice_id: str) -> None:
    await einvoice._record_to_answer_with(inner, invoice_id, correct=False)  # noqa: SLF001 - the first transaction alone


class Plain:
    """Issuing that stores a record as it is, beside the same stamp and the same entries in the log."""

    def __init__(self, record: Mapping[str, Any], stamp: Mapping[str, Any], chain: UUID) -> None:
        own = {"account_id", "created_at"}
        self._stamp = stamp
        self._values = {name: value for name, value in record.items() if name not in own}
        self._values |= {"installation_id": chain, "position": 0, "id": None}

    async def issue(self, inner: Context, invoice_id: str) -> None:
        async def store(row: Any, _: str) -> Settlement:
            place = {"position": self._values["position"] + 1, "previous_id": self._values["id"], "id": new_id()}
            self._values |= {**place, "invoice_id": row.id}
            await records.add(inner, fiscal_record, self._values)
            status = {"record_id": place["id"], "installation_id": self._values["installation_id"]}
            await _STATUS.run(inner.db, **status, position=place["position"], state="pending")
            return Settlement(self._stamp, {"emitted": {}})

        await lifecycle.issue(inner, await lifecycle.fetch_locked(inner, invoice_id), None, store)


async def plain(ctx: Context, like: Issuer) -> Issuer:
    """An issuer whose records are the last one of `like`, over and over; that one's are not sent from now on."""
    await like.turn()
    async with like.ctx.transaction() as inner:
        await inner.db.exec_driver_sql(
            f"update fiscal_sender set stopped_at = now(), due_at = null where account_id = '{inner.account.id}'"
        )
        record = (await inner.db.execute(select(fiscal_record).limit(1))).mappings().one()
        stamped = select(invoice.c.einvoice, invoice.c.fiscal_standing).where(invoice.c.id == record["invoice_id"])
        stamp = (await inner.db.execute(stamped)).mappings().one()
    async with ctx.transaction() as inner:
        which = {"channel": "verifactu", "environment": "test", "issuer_tax_id": "plain"}
        chain = await records.add(inner, fiscal_installation, {"id": new_id(), **which})
    return Issuer(ctx, Plain(record, stamp, chain.id).issue)


def several(turn: Callable[[], Awaitable[None]], times: int) -> Callable[[], Awaitable[None]]:
    """The turn so many times, and then StopAsyncIteration."""
    left = iter(range(times))

    async def one() -> None:
        if next(left, None) is None:
            raise StopAsyncIteration
        await turn()

    return one


class Pair:
    """The two kinds, side by side in one running application."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._sealed: list[Issuer] = []
        self._plain: list[Issuer] = []

    async def prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        """For these `accounts`. Gives how many statements the issuing one of each kind says to PostgreSQL."""
        os.environ |= job["environment"]
        settings = Settings(_env_file=None, log_level="ERROR")
        logs.configure(settings)
        kernel = await self._stack.enter_async_context(commanding(settings))
        accounts = [await system_context(kernel, UUID(account)) for account in job["accounts"]]
        self._sealed = [Issuer(one, seal) for one in accounts[::2]]
        self._plain = [await plain(one, like) for one, like in zip(accounts[1::2], self._sealed, strict=True)]
        await self.measure({"accounts": len(self._sealed), "blocks": WARM})
        return {"sealed": await self._counted(self._sealed[0]), "plain": await self._counted(self._plain[0])}

    async def measure(self, job: dict[str, Any]) -> dict[str, Any]:
        """A block of turns of one kind, one of the other, and so on, by so many `accounts` at once."""
        kinds = {"sealed": self._sealed[: job["accounts"]], "plain": self._plain[: job["accounts"]]}
        for one in (issuer for issuers in kinds.values() for issuer in issuers):
            one.issuing.clear()
        taken: dict[str, list[float]] = {name: [] for name in kinds}
        seconds, cpu = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0.0)
        for _ in range(job["blocks"]):
            for name, issuers in kinds.items():
                before = process_time()
                block, lasted = await repeated([several(one.turn, BLOCK) for one in issuers], None)
                taken[name] += block
                seconds[name] += lasted
                cpu[name] += process_time() - before
        whole = {
            name: {**figures(taken[name], seconds[name]), "cpu": 1000 * cpu[name] / len(taken[name])} for name in kinds
        }
        return whole | {f"{name} alone": _share(issuers) for name, issuers in kinds.items()}

    async def _counted(self, one: Issuer) -> int:
        heard: list[Statement] = []
        draft = await one.draft()
        with overheard(heard):
            await one.issue(draft)
        return len(heard)

    async def profile(self, job: dict[str, Any]) -> dict[str, Any]:
        """cProfile's figures of the sealed ones alone, into a file."""
        one = self._sealed[0]
        with cProfile.Profile() as profile:
            for _ in range(job["turns"]):
                await one.turn()
        write(profile, Path(job["file"]))
        return {}


def _share(issuers: Sequence[Issuer]) -> dict[str, Any]:
    """Figures of the issuing transactions by themselves."""
    taken = [seconds for one in issuers for seconds in one.issuing]
    return figures(taken, sum(taken) / len(issuers))


def write(profile: cProfile.Profile, target: Path) -> None:
    with target.open("w") as out:
        for order in ("tottime", "cumulative"):
            pstats.Stats(profile, stream=out).sort_stats(order).print_stats(LINES)


if __name__ == "__main__":
    pair = Pair()
    serve_jobs({"prepare": pair.prepare, "measure": pair.measure, "profile": pair.profile})
