"""Time and memory of an account's ledger and VAT form, against raw asyncpg that fetches the same rows."""

import gc
import os
from contextlib import AsyncExitStack
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any
from uuid import UUID

import asyncpg
import psutil
from process import measured, serve_jobs

from ledgerkit.core.declarations import operations as declarations
from ledgerkit.core.declarations.api import GenerateInput
from ledgerkit.core.platform.database.row_types import ACCOUNT_SETTING
from ledgerkit.core.platform.database.sessions import PLANNED_ANEW
from ledgerkit.core.platform.identity.accounts.profiles import system_context
from ledgerkit.core.reports.ledger import expenses, read, sales, supplier_invoices
from ledgerkit.providers.api import TaxPeriod
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

STATEMENTS = (
    sales.COUNTED,
    expenses.COUNTED,
    expenses.EARLIER_INVESTMENTS,
    supplier_invoices.COUNTED,
    supplier_invoices.EARLIER_INVESTMENTS,
    sales.OMITTED,
    supplier_invoices.OMITTED,
)
"""Those by which a ledger is read."""


class Reader:
    """One account, read by the server's own code and by raw asyncpg in turn."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()

    async def prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        """Read this quarter of the `account` once in each way. Gives the documents and each step's MiB."""
        os.environ |= job["environment"]
        settings = Settings(_env_file=None, log_level="ERROR")
        logs.configure(settings)
        kernel = await self._stack.enter_async_context(commanding(settings))
        self._ctx = await system_context(kernel, UUID(job["account"]))
        today = self._ctx.account.today()
        self._form = GenerateInput(country="ES", year=today.year, period=f"Q{(today.month + 2) // 3}")
        self._span = TaxPeriod(self._form.year, self._form.period).span
        planned_as_ours = {"application_name": "bench", "jit": "off", **PLANNED_ANEW}
        self._raw = await asyncpg.connect(job["url"], server_settings=planned_as_ours)
        await self._raw.execute(f"set {ACCOUNT_SETTING} = '{job['account']}'")
        await self._theirs()
        before = _resident()
        ledger = await read(self._ctx, self._span)
        documents, size = len(ledger.sales) + len(ledger.purchases), _resident() - before
        del ledger
        gc.collect()
        before = _peak()
        await self._generate()
        return {"documents": documents, "size": size, "generating": _peak() - before}

    async def measure(self, job: dict[str, Any]) -> dict[str, Any]:
        """Repeat both for so many seconds each."""
        turns = {"ledger": self._ours, "form": self._generate, "raw ledger": self._theirs}
        found = {}
        for name, turn in turns.items():
            before = process_time()
            figures = await measured([turn], job["seconds"])
            found[name] = {**figures, "cpu": 1000 * (process_time() - before) / figures["done"]}
        return found

    async def _ours(self) -> None:
        await read(self._ctx, self._span)

    async def _generate(self) -> None:
        await declarations.generate(self._ctx, self._form)

    async def _theirs(self) -> None:
        values = {"first": self._span.first, "last": self._span.last, "currency": self._ctx.account.currency}
        async with self._raw.transaction(isolation="repeatable_read", readonly=True):
            for statement in STATEMENTS:
                await self._raw.fetch(statement._compiled.sql, *statement._arguments(values))  # noqa: SLF001 - the same text


def _resident() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


def _peak() -> float:
    """MiB that the process has held at most."""
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    reader = Reader()
    serve_jobs({"prepare": reader.prepare, "measure": reader.measure})
