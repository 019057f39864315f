"""Removal of what has expired: requests, logins, clients, tokens, and grants with all that came of them."""

from sqlalchemy import delete

from ledgerkit import clock
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.oauth.table import oauth_client, oauth_grant, oauth_login, oauth_request, oauth_token
from ledgerkit.core.platform.request.context import Kernel


async def forget(kernel: Kernel) -> None:
    """Remove every row whose time is over; codes and tokens go with their grant."""
    for table in (oauth_request, oauth_login, oauth_token, oauth_grant, oauth_client):

        async def attempt() -> None:
            async with kernel.database.transaction(None) as db:
                await db.execute(delete(table).where(table.c.expires_at <= clock.now()))  # noqa: B023 - awaited below

        await retry_on_conflict(attempt)
