"""Issue drafts through the service, without printing or mailing; also without a record, as earlier versions did."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from sqlalchemy import text

from ledgerkit.core.einvoice.issuance import numbers
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.sales.invoices.issuance import lifecycle
from support.api import Api
from support.database import as_owner
from support.office import Office


async def issued(kernel: Kernel, api: Api, draft: dict[str, Any]) -> Any:
    """Issue `draft`, and seal it where e-invoicing is on; return its row. Its record is not sent."""
    ctx = await accounts.system_context(kernel, UUID(api.team["id"]))
    async with ctx.transaction() as inner:
        return (await numbers.issue(inner, await lifecycle.fetch_locked(inner, draft["id"]))).row


@asynccontextmanager
async def as_earlier_versions_did(office: Office, api: Api) -> AsyncIterator[None]:
    """Let `send` and `pay` number without a record inside the block, even in an account that has records."""
    of_account = {"account": UUID(api.team["id"])}
    [before] = await office.rows("select einvoicing, recorded_in from account where id = :account", **of_account)
    await _execute(office, "update account set einvoicing = 'off', recorded_in = '{}' where id = :account", of_account)
    yield
    restored = {"einvoicing": before.einvoicing, "recorded_in": list(before.recorded_in)}
    back = "update account set einvoicing = :einvoicing, recorded_in = :recorded_in where id = :account"
    await _execute(office, back, of_account | restored)
    marked = "update invoice set unrecorded = 'earlier_version' where account_id = :account and unrecorded = 'chosen'"
    await _execute(office, marked, of_account)


async def _execute(office: Office, statement: str, values: dict[str, Any]) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(statement), values)
