"""Create, list and revoke the API keys with scopes that a person has in an account.

They are managed with the token of a person's login, never with a key: a key cannot make one that covers more.
"""

from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_keys.api import ApiKey, ApiKeyInput, NewApiKey
from ledgerkit.core.platform.api_keys.texts import ApiKeysMsg
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.platform.identity.logins.authentication import not_a_member
from ledgerkit.core.platform.identity.logins.tokens import SCOPED_KEY_PREFIX, key_digest, new_scoped_key
from ledgerkit.core.platform.identity.persons import guard, scoped_keys
from ledgerkit.core.platform.identity.persons.scoped_keys import StoredKey
from ledgerkit.core.platform.request.context import Author, Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope, scopes_named
from ledgerkit.problems import Invalid, NotFound

MOST_KEYS = 100
"""Keys that a person may have in one account."""

SHOWN_CHARACTERS = 8
"""Characters of a key's random part that stay visible."""


@operation(Permission.LOGIN, errors=guard.PROOF_ERRORS, sealed=True)
async def create(ctx: Context, data: ApiKeyInput) -> NewApiKey:
    """Create a key of the actor in this account and return it, the only time that it is shown.

    It acts with the role that the actor has at the time of each request, within its scopes, and ends with the
    actor's membership. Raises Unauthenticated for an API key, PasswordNeeded; Invalid for an end in the past or too
    many keys.
    """
    guard.require_recent_password(ctx)
    member_id = await _membership(ctx, lock=True)
    moment = clock.now()
    if data.expires_at is not None and data.expires_at <= moment:
        raise Invalid.field("expiresAt", ApiKeysMsg.EXPIRES_IN_THE_PAST)
    if await scoped_keys.count(ctx.db, member_id) >= MOST_KEYS:
        raise Invalid(ApiKeysMsg.TOO_MANY, most=MOST_KEYS)
    key = new_scoped_key()
    row = await scoped_keys.add(
        ctx.db,
        member_id,
        id=new_id(),
        name=data.name,
        scopes=[scope.value for scope in Scope if scope in data.scopes],
        key_hash=key_digest(key),
        prefix=key[: len(SCOPED_KEY_PREFIX) + SHOWN_CHARACTERS],
        created_at=moment,
        expires_at=data.expires_at,
    )
    await activity.record(ctx, "created", ("api_key", row.id), row.name, {"scopes": (None, row.scopes)})
    return NewApiKey(**_shown(row).model_dump(), key=key)


@operation(Permission.LOGIN, unit=Unit.READING)
async def listing(ctx: Context) -> list[ApiKey]:
    """Return the actor's keys in this account, expired ones too, the oldest first. Raises Unauthenticated for a key."""
    rows = await scoped_keys.of_member(ctx.db, await _membership(ctx))
    return [_shown(row) for row in rows]


@operation(Permission.LOGIN, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def revoke(ctx: Context, key_id: str) -> None:
    """Revoke a key of the actor in this account; it opens nothing from the commit on, and its rule of approvals goes.

    Raises Unauthenticated for an API key, NotFound.
    """
    member_id, key_uuid = await _membership(ctx), _id(key_id)
    row = None if key_uuid is None else await scoped_keys.remove(ctx.db, member_id, key_uuid)
    if row is None:
        raise NotFound(ApiKeysMsg.NOT_FOUND)
    revoked = Author(ctx.actor.user_id, row.prefix, row.name)
    await approvals.reject_those_with(ctx, revoked, ApprovalsMsg.KEY_REVOKED)
    await rules.forget(ctx.db, row.id)
    await activity.record(ctx, "revoked", ("api_key", row.id), row.name)


async def _membership(ctx: Context, *, lock: bool = False) -> UUID:
    """Return the actor's membership in this account. Raises Forbidden NOT_TEAM_MEMBER when it has just ended."""
    user_id, _ = sessions.person(ctx)
    member_id = await members.find(ctx, str(user_id), lock=lock)
    if member_id is None:
        raise not_a_member()
    return member_id


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _shown(row: StoredKey) -> ApiKey:
    return ApiKey(
        id=str(row.id),
        name=row.name,
        prefix=row.prefix,
        scopes=scopes_named(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
    )
