"""Keys and applications that a rule of approvals can be for, by name and person; nothing that would open them."""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from sqlalchemy import DateTime, Uuid, bindparam, select

from ledgerkit import clock
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.logins import authentication
from ledgerkit.core.platform.identity.persons import scoped_keys
from ledgerkit.core.platform.identity.persons.scoped_keys import KeyOfAccountRow
from ledgerkit.core.platform.oauth.table import oauth_grant
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission


class PolicyConnection(Wire):
    """A key or application: the caller's own, or a colleague's that has a rule of its own in the approval policy."""

    connection: Annotated[UUID, Field(description="Id of the key or of the application's grant")]
    kind: Literal["key", "application"]
    """`key`, or `application` for a connected one."""
    name: str
    """Name of the key or application."""
    person: str
    """Name of the member of the account whose it is."""
    is_own: bool
    """True where it is the caller's own."""


class _GrantRow(Row):
    id: UUID
    name: str
    person: str
    user_id: UUID


_member = authentication.members()
_VALID_OF_ACCOUNT = Prepared(
    select(
        oauth_grant.c.id,
        oauth_grant.c.client_name.label("name"),
        _member.c.user_name.label("person"),
        oauth_grant.c.user_id,
    )
    .join(_member, (_member.c.user_id == oauth_grant.c.user_id) & (_member.c.id == oauth_grant.c.account_id))
    .where(
        oauth_grant.c.account_id == bindparam("account", type_=Uuid),
        oauth_grant.c.user_version == _member.c.token_version,
        oauth_grant.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    )
    .order_by(oauth_grant.c.id),
    _GrantRow,
)


@operation(Permission.LOGIN, unit=Unit.READING)
async def of_policy(ctx: Context) -> list[PolicyConnection]:
    """Return the caller's valid keys and grants in the account, and those of its members that have a rule of their own.

    The oldest first, keys before grants. What has ended is left out, and so is an id of another account. Raises
    Forbidden, Unauthenticated for a key.
    """
    ctx.require(Permission.TEAM_WRITE)
    ruled = {rule.connection for rule in (await rules.all_rules(ctx)).connections}
    keys = await scoped_keys.valid_of_account(ctx.db, ctx.account.id)
    grants = await _VALID_OF_ACCOUNT.rows(ctx.db, account=ctx.account.id, now=clock.now())
    user_id = ctx.actor.user_id
    kinds: list[tuple[Literal["key", "application"], Sequence[KeyOfAccountRow | _GrantRow]]] = [
        ("key", keys),
        ("application", grants),
    ]
    return [
        PolicyConnection(connection=row.id, kind=kind, name=row.name, person=row.person, is_own=row.user_id == user_id)
        for kind, rows in kinds
        for row in rows
        if row.id in ruled or row.user_id == user_id
    ]
