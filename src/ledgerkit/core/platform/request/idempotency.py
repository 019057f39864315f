"""Idempotency keys: an operation with a caller's key happens once; a second request gets the first one's answer."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeGuard, TypeVar

from cryptography.fernet import Fernet, InvalidToken
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json
from sqlalchemy import (
    PrimaryKeyConstraint,
    Text,
    bindparam,
    delete,
    func,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.outages import sqlstate
from ledgerkit.core.platform.database.row_types import Row, VersionedRow, column
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson
from ledgerkit.core.platform.database.tables import JSON, account_table
from ledgerkit.core.platform.database.transactions import enter, retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.presence import Presence, retry_after
from ledgerkit.core.platform.request.texts import RequestMsg
from ledgerkit.money import dumps_exact, loads_exact, with_numbers
from ledgerkit.problems import Code, Conflict, Problem
from ledgerkit.texts import MessageId

T = TypeVar("T")

KEPT = timedelta(hours=24)
_LONGEST_WAIT = 10.0
"""Seconds after which a request is asked for again at the latest."""

_LOCK_NOT_AVAILABLE = "55P03"


class IdempotencyKeyRow(VersionedRow):
    """One request with an idempotency key: a second one with the same key gets the first one's answer, for a day."""

    key: str = column("Key that the caller sent, 1 to 255 printable ASCII characters, unique in the account.")
    operation: str = column("Name of the operation that was asked for, as invoices.create.")
    fingerprint: str = column(
        "SHA-256 or HMAC of operation, person and arguments in hexadecimal digits, by which another request under "
        "the key is refused.",
    )
    answer: StoredJson[object] | None = column(
        "JSON answer that is given again, encrypted where it holds a secret; null while in flight, and for a refusal.",
        JSON,
    )
    refusal: StoredJson[dict[str, object]] | None = column(
        "JSON problem that is the request's result and is given again; null for an answer, and while in flight.",
        JSON,
    )
    finished_at: datetime | None = column("Moment in UTC at which the request was done; null while it is in flight.")
    process: int | None = column(
        "Number of the server process at work on it, so that the key is free when that has died; null where none was "
        "noted.",
    )


idempotency_key = account_table(
    "idempotency_key",
    IdempotencyKeyRow,
    PrimaryKeyConstraint("account_id", "key"),
)
_table = idempotency_key
_REFUSAL = JsonCodec(dict[str, object])
"""Stored form of a problem, as `Problem.stored` gives it."""


class FirstAnswerRow(Row):
    """Row of the statement that asks for the result of the first request with a key."""

    fingerprint: str
    answer: StoredJson[object] | None
    refusal: StoredJson[dict[str, object]] | None
    finished_at: datetime | None
    process: int | None
    created_at: datetime
    age: timedelta


_FIRST_ANSWER = Prepared(
    select(
        *(_table.c[name] for name in ("fingerprint", "answer", "refusal", "finished_at", "process", "created_at")),
        (func.clock_timestamp() - _table.c.created_at).label("age"),
    ).where(_table.c.key == bindparam("key", type_=Text)),
    FirstAnswerRow,
)


class IdempotentCall:
    """One run of one operation under one key. If the work has one transaction, the key is stored in it.

    Otherwise a separate row stores the key meanwhile and names the working process. If that process has died, or has
    lost the row while PostgreSQL was unreachable, the key is free again (`presence`).
    """

    def __init__(
        self,
        ctx: Context,
        name: str,
        answer: TypeAdapter[Any],
        arguments: object,
        *,
        sealed: bool = False,
        final: Collection[Code] = (),
    ) -> None:
        assert ctx.request_metadata.idempotency_key is not None  # noqa: S101 - the gate asks for it
        self._ctx = ctx
        self._presence = ctx.kernel.service(Presence)
        self._key = ctx.request_metadata.idempotency_key
        self._name = name
        self._answer = answer
        self._final = final
        self._cipher = _cipher(ctx.kernel.secret) if sealed else None
        person = str(ctx.actor.user_id or ctx.actor.key_prefix)
        body = to_json([name, person, arguments], by_alias=True)
        # What is sealed may hold a password, which a plain digest would let whoever has the database guess at.
        self._fingerprint = (
            hmac.digest(ctx.kernel.secret, body, "sha256").hex() if sealed else hashlib.sha256(body).hexdigest()
        )

    async def run(self, work: Callable[[], Awaitable[Any]]) -> Any:
        if self._ctx.connection is not None:
            return await self._within(self._ctx.connection, work)
        return await self._around(work)

    async def _within(self, db: AsyncConnection, work: Callable[[], Awaitable[Any]]) -> Any:
        if not await self._reserve(db):
            return await self._replay(db)
        result = await work()
        await self._store(db, result)
        return result

    async def _around(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Reserve the key, work, and record the answer: for operations with several transactions.

        A failure frees the key, unless it is one of those that are the operation's result.
        """
        try:
            if not await self._apart(self._reserve_apart):
                return await self._apart(self._replay)
            try:
                result = await work()
            except BaseException as error:
                await self._apart(partial(self._refuse, error) if self._is_result(error) else self._release)
                raise
            await self._apart(lambda db: self._store(db, result))
            return result
        finally:
            self._presence.let_go(self._ctx.account.id, self._key, self)

    def _is_result(self, error: BaseException) -> TypeGuard[Problem]:
        return isinstance(error, Problem) and (error.is_result or error.code in self._final)

    async def _apart(self, step: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with self._ctx.transaction() as inner:
                return await step(inner.db)

        return await retry_on_conflict(attempt)

    async def _reserve(self, db: AsyncConnection) -> bool:
        """Reserve the key; True when it may be used now. Raises Conflict while another request holds it."""
        await db.execute(text("set local lock_timeout = '500ms'"))
        try:
            reserved = await self._inserted(db) or (await self._was_given_up(db) and await self._inserted(db))
        except DBAPIError as error:
            if sqlstate(error) == _LOCK_NOT_AVAILABLE:
                raise in_flight(0) from error
            raise
        await db.execute(text("set local lock_timeout = 0"))
        return reserved

    async def _reserve_apart(self, db: AsyncConnection) -> bool:
        """Reserve the key in a transaction of its own, for the time of the work."""
        reserved = await self._reserve(db)
        if reserved:
            self._presence.hold(self._ctx.account.id, self._key, self)
        return reserved

    async def _inserted(self, db: AsyncConnection) -> bool:
        row = {"key": self._key, "operation": self._name, "fingerprint": self._fingerprint}
        statement = insert(_table).values({**row, "process": self._presence.number})
        inserted = await db.execute(statement.on_conflict_do_nothing().returning(_table.c.key))
        return inserted.scalar_one_or_none() is not None

    async def _was_given_up(self, db: AsyncConnection) -> bool:
        """Forget what is under the key where it is old, or in flight in a process that does not work on it any more."""
        first = await _FIRST_ANSWER.row(db, key=self._key)
        if first is None:
            return True
        is_old = first.created_at < clock.now() - KEPT
        if not is_old and (first.finished_at is not None or await self._seconds_until_free(first) != 0.0):
            return False
        just_this = _table.c.key == self._key, _table.c.created_at == first.created_at
        await db.execute(delete(_table).where(*just_this))
        return True

    async def _seconds_until_free(self, first: FirstAnswerRow) -> float | None:
        return await self._presence.seconds_until_free(first.process, self._ctx.account.id, self._key)

    async def _replay(self, db: AsyncConnection) -> Any:
        first = await _FIRST_ANSWER.row(db, key=self._key)
        if first is None:
            raise in_flight(0)
        if first.fingerprint != self._fingerprint:
            raise in_use(RequestMsg.KEY_OF_ANOTHER_REQUEST)
        if first.finished_at is None:
            seconds = await self._seconds_until_free(first)
            # One that has worked for some time will probably work for as long again.
            raise in_flight(min(first.age.total_seconds(), _LONGEST_WAIT) if seconds is None else seconds)
        self._ctx.request_metadata.replayed = True
        if first.refusal is not None:
            refusal = Problem.restored(_REFUSAL.decode(first.refusal))
            refusal.extra = {name: with_numbers(value) for name, value in refusal.extra.items()}
            raise refusal
        return self._answer.validate_python(self._opened(first.answer))

    async def _store(self, db: AsyncConnection, result: object) -> None:
        outcome = {"answer": self._closed(_whole(result)), "finished_at": clock.now()}
        finished = update(_table).where(_table.c.key == self._key).values(outcome)
        if (await db.execute(finished)).rowcount:
            return
        # The work moved into another account (a new team): a repetition may come from there or from here.
        row = {"key": self._key, "operation": self._name, "fingerprint": self._fingerprint}
        await db.execute(insert(_table).values({**row, **outcome}).on_conflict_do_nothing())
        await enter(db, self._ctx.account.id)
        await db.execute(finished)

    async def _refuse(self, problem: Problem, db: AsyncConnection) -> None:
        outcome = {"refusal": problem.stored(), "finished_at": clock.now()}
        await db.execute(update(_table).where(_table.c.key == self._key).values(outcome))

    async def _release(self, db: AsyncConnection) -> None:
        await db.execute(delete(_table).where(_table.c.key == self._key, _table.c.finished_at.is_(None)))

    def _closed(self, answer: object) -> object:
        """Return the stored form of an answer: nothing readable without the server's key where it holds a secret."""
        return answer if self._cipher is None else self._cipher.encrypt(dumps_exact(answer).encode()).decode()

    def _opened(self, stored: object) -> object:
        if self._cipher is None or not isinstance(stored, str):
            return stored
        try:
            return loads_exact(self._cipher.decrypt(stored).decode())
        except InvalidToken:
            raise in_use(RequestMsg.KEY_OF_ANOTHER_SECRET) from None


def in_use(message: MessageId) -> Conflict:
    """Return the refusal of a key that was used for another request, with the reason in `message`."""
    return Conflict(message, remedy=RequestMsg.REPEAT_OR_TAKE_NEW_KEY, code=Code.IDEMPOTENCY_CONFLICT)


def in_flight(seconds: float) -> Conflict:
    """Return the refusal of a request whose first sending is still running, probably for so many seconds."""
    return Conflict(RequestMsg.KEY_IN_USE, code=Code.REQUEST_IN_FLIGHT, headers=retry_after(seconds))


def _cipher(secret: bytes) -> Fernet:
    return Fernet(urlsafe_b64encode(hmac.digest(secret, b"idempotent answer", "sha256")))


def _whole(value: object) -> object:
    """Return `value` with all fields of its shapes, also those that callers do not get: a replay needs the version."""
    if isinstance(value, BaseModel):
        return {name: _whole(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, list | tuple):
        return [_whole(entry) for entry in value]
    return value


async def is_known(db: AsyncConnection, key: str) -> bool:
    """Return True if a request with this key of the transaction's account has begun, and is remembered."""
    return await _FIRST_ANSWER.row(db, key=key) is not None


async def purge(db: AsyncConnection) -> int:
    """Forget the keys of the transaction's account that are older than a day."""
    deleted = await db.execute(delete(_table).where(_table.c.created_at < clock.now() - KEPT))
    return int(deleted.rowcount)


async def forget_answers(db: AsyncConnection) -> None:
    """Forget the answers of all requests of the transaction's account that are done."""
    await db.execute(delete(_table).where(_table.c.finished_at.is_not(None)))
