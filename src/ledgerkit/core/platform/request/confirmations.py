"""Confirmations of acts that cannot be undone: tokens that bind one act to its preview.

A token is its expiry, a nonce, a short digest of each thing that it is bound to, and 16 bytes of an HMAC-SHA256
(RFC 2104) over the things themselves, in unpadded base64url (RFC 4648 §5). The proof decides; the short digests only
tell the holder of a token that is refused what is different. Nothing is stored but digests of the tokens used.
"""

import hashlib
import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_bytes

from sqlalchemy import PrimaryKeyConstraint, Text, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.row_types import VersionedRow, column
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import account_table
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.texts import ConfirmationMsg
from ledgerkit.problems import Code, Conflict
from ledgerkit.texts import MessageId

VALID_FOR = timedelta(minutes=5)
"""Time from a preview within which it can be confirmed."""

_KEPT_FOR = timedelta(days=1)
"""Time for which a used token is remembered; it has expired long before."""

_EXPIRY, _NONCE, _DIGEST, _PROOF = 5, 7, 3, 16
"""Bytes of the parts of a token."""

_FORM = re.compile(r"[A-Za-z0-9_-]{58}")


class UsedConfirmationRow(VersionedRow):
    """One token that confirmed an act which cannot be undone, so that it is good for one act."""

    token_hash: str = column("SHA-256 of the token, 64 hexadecimal digits.")


used_confirmation = account_table(
    "used_confirmation",
    UsedConfirmationRow,
    PrimaryKeyConstraint("account_id", "token_hash"),
)
_BY_HASH = Prepared(
    select(used_confirmation).where(used_confirmation.c.token_hash == bindparam("token_hash", type_=Text)),
    UsedConfirmationRow,
)


@dataclass(frozen=True, kw_only=True)
class Act:
    """An act that needs a confirmation: who does what with which arguments, and what its preview has shown."""

    user: str
    account: str
    tool: str
    arguments: str
    preview: str = ""


@dataclass(frozen=True)
class Confirmation:
    """Token by which an act can be confirmed until `expires_at`."""

    token: str
    expires_at: datetime


_OF_ANOTHER = {
    "user": ConfirmationMsg.OF_ANOTHER_USER,
    "account": ConfirmationMsg.OF_ANOTHER_ACCOUNT,
    "tool": ConfirmationMsg.OF_ANOTHER_TOOL,
    "arguments": ConfirmationMsg.OF_OTHER_ARGUMENTS,
}
"""Reasons for a refusal by what is another one, in the order in which they are looked at."""

_BOUND_TO = (*_OF_ANOTHER, "preview")
"""Fields of an act that a token is bound to."""


def act(ctx: Context, tool: str, arguments: object) -> Act:
    """Return the caller's act, not previewed yet; `arguments` are JSON."""
    actor = ctx.actor
    content = json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
    user = str(actor.user_id or actor.key_prefix)
    return Act(user=user, account=str(actor.account.id), tool=tool, arguments=content)


def issue(ctx: Context, previewed_act: Act) -> Confirmation:
    """Return a new confirmation of an act as its preview shows it."""
    expires_at = (clock.now() + VALID_FOR).replace(microsecond=0)
    beginning = int(expires_at.timestamp()).to_bytes(_EXPIRY) + token_bytes(_NONCE)
    digests = b"".join(_digests(ctx, beginning, previewed_act).values())
    proof = _proof(ctx, beginning, previewed_act)
    return Confirmation(_text(beginning + digests + proof), expires_at)


async def check_request(ctx: Context, token: str, requested_act: Act) -> None:
    """Check a token before the act is previewed again.

    Raises Conflict CONFIRMATION_EXPIRED, CONFIRMATION_USED, or CONFIRMATION_MISMATCH for a token that is none, or of
    another user, account, tool or other arguments.
    """
    parts = _parts(token)
    _check_digests(ctx, parts, requested_act, *_OF_ANOTHER)
    if clock.now() >= parts.expires_at:
        raise _expired()

    async def is_used() -> bool:
        async with ctx.reading() as inner:
            return await _BY_HASH.row(inner.db, token_hash=_hash(token)) is not None

    if await retry_on_conflict(is_used):
        raise _used()


def verify(ctx: Context, token: str, previewed_act: Act) -> None:
    """Check that a token was issued for this act, as its preview shows it now, and has not expired.

    Raises Conflict CONFIRMATION_STALE when the preview shows something else than before, CONFIRMATION_MISMATCH for
    another act or a token that was not issued here, CONFIRMATION_EXPIRED.
    """
    parts = _parts(token)
    _check_digests(ctx, parts, previewed_act, *_BOUND_TO)
    if not hmac.compare_digest(parts.proof, _proof(ctx, parts.beginning, previewed_act)):
        raise _mismatch(ConfirmationMsg.UNKNOWN)
    if clock.now() >= parts.expires_at:
        raise _expired()


async def use(ctx: Context, token: str, previewed_act: Act) -> None:
    """Mark a token as used for an act; call this before the act.

    Raises what `verify` raises; Conflict CONFIRMATION_USED when the token was used before.
    """
    verify(ctx, token, previewed_act)

    async def store() -> bool:
        async with ctx.transaction() as inner:
            return await _store(inner.db, _hash(token))

    if not await retry_on_conflict(store):
        raise _used()


async def purge(db: AsyncConnection) -> int:
    """Forget the used tokens of the transaction's account that have expired long ago."""
    expired = used_confirmation.c.created_at < clock.now() - _KEPT_FOR
    deleted = await db.execute(delete(used_confirmation).where(expired))
    return int(deleted.rowcount)


@dataclass(frozen=True)
class _Parts:
    beginning: bytes
    expires_at: datetime
    digests: bytes
    proof: bytes


def _parts(token: str) -> _Parts:
    if not _FORM.fullmatch(token):
        raise _mismatch(ConfirmationMsg.UNKNOWN)
    content = urlsafe_b64decode(f"{token}==")
    if _text(content) != token:  # bits of its last character mean nothing: it would be another text of the same token
        raise _mismatch(ConfirmationMsg.UNKNOWN)
    beginning = content[: _EXPIRY + _NONCE]
    expires_at = datetime.fromtimestamp(min(int.from_bytes(beginning[:_EXPIRY]), 1 << 36), UTC)
    return _Parts(beginning, expires_at, content[len(beginning) : -_PROOF], content[-_PROOF:])


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _check_digests(ctx: Context, parts: _Parts, compared_act: Act, *fields: str) -> None:
    """Raise the refusal for the first of `fields` that differs; when all do, the text is no token of ours."""
    digests = _digests(ctx, parts.beginning, compared_act)
    places = {field: number * _DIGEST for number, field in enumerate(_BOUND_TO)}
    differing = [field for field in fields if parts.digests[places[field] :][:_DIGEST] != digests[field]]
    if len(differing) == len(fields):
        raise _mismatch(ConfirmationMsg.UNKNOWN)
    if differing == ["preview"]:
        raise Conflict(ConfirmationMsg.STALE, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_STALE)
    if differing:
        raise _mismatch(_OF_ANOTHER[differing[0]])


def _digests(ctx: Context, beginning: bytes, compared_act: Act) -> dict[str, bytes]:
    """Return a short digest of each thing that a token is bound to; another one in each token."""
    key, values = _key(ctx), asdict(compared_act)
    return {
        field: hmac.digest(key, beginning + f"{field}:{values[field]}".encode(), "sha256")[:_DIGEST]
        for field in _BOUND_TO
    }


def _proof(ctx: Context, beginning: bytes, previewed_act: Act) -> bytes:
    content = json.dumps(asdict(previewed_act), sort_keys=True).encode()
    return hmac.digest(_key(ctx), beginning + b"act:" + content, "sha256")[:_PROOF]


def _key(ctx: Context) -> bytes:
    return hmac.digest(ctx.kernel.secret, b"confirmation", "sha256")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def _store(db: AsyncConnection, token_hash: str) -> bool:
    """Store that a token is used; False when it was before."""
    stored = insert(used_confirmation).values(token_hash=token_hash).on_conflict_do_nothing()
    inserted = await db.execute(stored.returning(used_confirmation.c.token_hash))
    return inserted.scalar_one_or_none() is not None


def _expired() -> Conflict:
    return Conflict(ConfirmationMsg.EXPIRED, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_EXPIRED)


def _mismatch(message: MessageId) -> Conflict:
    return Conflict(message, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_MISMATCH)


def _used() -> Conflict:
    return Conflict(ConfirmationMsg.USED, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_USED)
