"""Drafts issued by the service itself, without printing or posting anything; and as earlier versions numbered them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from sqlalchemy import text

from ledgerkit.core.einvoice.issuance import numbering
from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.request.context import Kernel
from support.api import Api
from support.database import as_owner
from support.office import Office


async def issued(kernel: Kernel, api: Api, draft: dict[str, Any]) -> Any:
    """The row of `draft` once it is issued, and sealed where e-invoicing is on. Nobody sends its record."""
    ctx = await accounts.system_context(kernel, UUID(api.team["id"]))
    async with ctx.transaction() as inner:
        return (await numbering.issue(inner, await lifecycle.fetch_locked(inner, draft["id"]))).row


@asynccontextmanager
async def as_earlier_versions_did(office: Office, api: Api) -> AsyncIterator[None]:
    """While it lasts `send` and `pay` number without a record, also in an account that has records."""
    mine = {"account": UUID(api.team["id"])}
    [before] = await office.rows("select einvoicing, recorded_in from account where id = :account", **mine)
    await _execute(office, "update account set einvoicing = 'off', recorded_in = '{}' where id = :account", mine)
    yield
    kept = {"einvoicing": before.einvoicing, "recorded_in": list(before.recorded_in)}
    back = "update account set einvoicing = :einvoicing, recorded_in = :recorded_in where id = :account"
    await _execute(office, back, mine | kept)
    said = "update invoice set unrecorded = 'earlier_version' where account_id = :account and unrecorded = 'chosen'"
    await _execute(office, said, mine)


async def _execute(office: Office, statement: str, values: dict[str, Any]) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(statement), values)
