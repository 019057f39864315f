"""Time and memory of reading an account's ledger, against raw asyncpg that fetches the same rows and drops them."""

import gc
import os
from contextlib import AsyncExitStack
from datetime import UTC, date, datetime
from time import process_time
from typing import Any
from uuid import UUID

import asyncpg
import psutil
from process import measured, serve_jobs

from ledgerkit import logs
from ledgerkit.core.database.tables import ACCOUNT_SETTING
from ledgerkit.core.identity.accounts import system_context
from ledgerkit.core.reports.ledger import expenses, read, sales, supplier_invoices
from ledgerkit.providers.api import DateSpan
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings

STATEMENTS = (sales.COUNTED, expenses.COUNTED, supplier_invoices.COUNTED)


class Reader:
    """One account, read by the server's own code and by raw asyncpg in turn."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()

    async def prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        """Read this year of the `account` once in each way. Gives the documents, and MiB that the ledger takes."""
        os.environ |= job["environment"]
        settings = Settings(_env_file=None, log_level="ERROR")
        logs.configure(settings)
        kernel = await self._stack.enter_async_context(commanding(settings))
        year = datetime.now(UTC).year
        self._ctx = await system_context(kernel, UUID(job["account"]))
        self._span = DateSpan(first=date(year, 1, 1), last=date(year, 12, 31))
        self._raw = await asyncpg.connect(job["url"], server_settings={"application_name": "bench", "jit": "off"})
        await self._raw.execute(f"set {ACCOUNT_SETTING} = '{job['account']}'; set plan_cache_mode = force_generic_plan")
        await self._theirs()
        before = _resident()
        ledger = await read(self._ctx, self._span)
        size = _resident() - before
        return {"documents": len(ledger.sales) + len(ledger.purchases), "size": size}

    async def measure(self, job: dict[str, Any]) -> dict[str, Any]:
        """Repeat both for so many seconds each."""
        turns = {"ledger": self._ours, "raw ledger": self._theirs}
        found = {}
        for name, turn in turns.items():
            before = process_time()
            figures = await measured([turn], job["seconds"])
            found[name] = {**figures, "cpu": 1000 * (process_time() - before) / figures["done"]}
        return found

    async def _ours(self) -> None:
        await read(self._ctx, self._span)

    async def _theirs(self) -> None:
        values = {"first": self._span.first, "last": self._span.last, "currency": self._ctx.account.currency}
        async with self._raw.transaction(isolation="repeatable_read", readonly=True):
            for statement in STATEMENTS:
                await self._raw.fetch(statement._compiled.sql, *statement._arguments(values))  # noqa: SLF001 - the same text


def _resident() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


if __name__ == "__main__":
    reader = Reader()
    serve_jobs({"prepare": reader.prepare, "measure": reader.measure})
