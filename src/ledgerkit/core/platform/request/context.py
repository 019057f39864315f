"""Context of a service function: its caller, the channel, what comes beside the body, and the transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.transactions import Database, retry_on_conflict, snapshot
from ledgerkit.core.platform.request.acts import Agreement
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role, roles_with
from ledgerkit.core.platform.request.previews import DryRun, Preview
from ledgerkit.core.platform.request.scopes import Scope, scope_of
from ledgerkit.core.platform.request.texts import RequestMsg
from ledgerkit.problems import Forbidden, OutOfScope, Unauthenticated
from ledgerkit.providers.api import CountryProvider, Party
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import Settings
from ledgerkit.texts import ENGLISH, Joined
from ledgerkit.texts.common import CommonMsg

Service = TypeVar("Service")
Result = TypeVar("Result")


class Channel(StrEnum):
    API = "api"
    WEB = "web"
    MCP = "mcp"
    MESSAGING = "messaging"
    SYSTEM = "system"


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """Objects that a running process shares: settings, database, countries, and services of upper layers.

    A dry run has a separate kernel, with `dry_run`, whose database and services change nothing.
    """

    settings: Settings
    secret: bytes
    database: Database
    countries: Registry
    services: Mapping[type, object] = field(default_factory=dict)
    dry_run: DryRun | None = None

    def service(self, kind: type[Service]) -> Service:
        """Return the service of this class that the application made at its start."""
        assert kind in self.services, f"no {kind.__name__} (in a dry run: it has no in_dry_run)"  # noqa: S101 - ours
        instance = self.services[kind]
        assert isinstance(instance, kind)  # noqa: S101 - our own wiring, checked by every start
        return instance


@dataclass(frozen=True, kw_only=True)
class AccountProfile:
    """Account that acts: the issuer of its documents.

    `einvoicing` is what it has chosen, `on` or `off`; `regimes` are the keys of the regimes that it has stated, by the
    first day of each (YYYY-MM-DD); `recorded_in` are the environments in which it has fiscal records. Derived from all
    three: `core.platform.documents.einvoicing_state`. `live_since` is when it went live after a trial.
    """

    id: UUID
    kind: str
    name: str
    company: str | None
    country: str
    currency: str
    tax_id: str | None
    address: str | None
    postal_code: str | None
    city: str | None
    province: str | None
    email: str | None
    phone: str | None
    iban: str | None
    time_zone: str
    default_tax_rate: Decimal | None
    default_retention_rate: Decimal | None
    payment_term_days: int
    higher_simplified_limit: bool
    series: Mapping[str, str]
    einvoicing: str
    regimes: Mapping[str, str]
    recorded_in: Sequence[str]
    live_since: datetime | None = None

    @property
    def is_team(self) -> bool:
        return self.kind == "team"

    @property
    def issuer_name(self) -> str:
        return self.company or self.name

    def today(self) -> date:
        """Return the present calendar date in the account's time zone."""
        return clock.today(self.time_zone)

    def party(self) -> Party:
        """Return the account as its country sees it: the issuer of documents that are numbered now."""
        return Party(
            name=self.issuer_name,
            tax_id=self.tax_id,
            country=self.country,
            address=self.address,
            postal_code=self.postal_code,
            city=self.city,
            province=self.province,
            email=self.email,
        )


@dataclass(frozen=True)
class Login:
    """The login from which a person's token comes: the one with the password, however often the token was refreshed.

    `id` is the same for all of its tokens, `version` the user's token version, `began_at` the moment of the password,
    `proved_at` the last one at which it was asked for again and typed; None for a login that needed it once only.
    """

    id: str
    version: int
    began_at: datetime
    proved_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Actor:
    """A person or key at work in one account. `user_id` is None for a team's key, `login` for every key.

    Only `permissions` decides: those that the role grants, without those that the credentials leave out. `role` is for
    display. `scopes` are the permissions that the credentials cover, in whichever account they are used. `client` is
    the name of the connected application or of the key, for the activity log; None for a login and for an account's
    first key. `connection_id` is the key with scopes, or the grant of the application.
    """

    user_id: UUID | None
    user_name: str
    email: str | None
    role: Role
    permissions: frozenset[Permission]
    scopes: frozenset[Permission] = frozenset(Permission)
    account: AccountProfile
    channel: Channel = Channel.API
    key_prefix: str | None = None
    client: str | None = None
    connection_id: UUID | None = None
    login: Login | None = None

    def may(self, permission: Permission) -> bool:
        return permission in self.permissions

    @property
    def author(self) -> "Author":
        """User and credentials, as the activity log names them."""
        return Author(self.user_id, self.key_prefix, self.client)

    @property
    def granted(self) -> frozenset[Permission]:
        """Permissions of the role, with those that the credentials leave out."""
        return ROLE_PERMISSIONS[self.role]

    @property
    def unscoped(self) -> "Actor":
        """Return the actor as if the credentials covered everything: for looking at what a proposal would do."""
        return replace(self, permissions=self.granted, scopes=frozenset(Permission))

    @property
    def proposes(self) -> bool:
        """True when what the credentials do not cover is proposed to a person: they also read, as proposals show."""
        reads = Scope.READ.permissions <= self.scopes
        return reads and Permission.APPROVALS_PROPOSE in self.permissions and self.works_in_one_account

    @property
    def works_in_one_account(self) -> bool:
        """Return True when the credentials are for one account only: of a team, an application or a scoped key."""
        return self.user_id is None or self.client is not None

    def narrowed(self, scopes: Collection[Permission]) -> "Actor":
        """Return this actor with permissions in `scopes` only. Never grants what the actor did not have.

        Credentials that propose never approve, whatever else they cover.
        """
        never = {Permission.APPROVALS_DECIDE} if Permission.APPROVALS_PROPOSE in scopes else set()
        return replace(self, permissions=self.permissions & set(scopes) - never, scopes=self.scopes & set(scopes))


class Departure:
    """The disconnection of a request's caller, and the work that ends with it, because nobody will read the answer.

    Cancelled work rolls back its open transaction, and PostgreSQL stops the running statement. Committed changes stay.
    """

    def __init__(self) -> None:
        self._has_left = False
        self._task: asyncio.Task[object] | None = None
        self.has_cancelled = False
        """True when the work was cancelled: then its CancelledError is expected."""

    def note(self) -> None:
        """Record that the caller has disconnected, and cancel the work that ends then."""
        self._has_left = True
        self._cancel()

    @contextmanager
    def ends_work(self) -> Iterator[None]:
        """Cancel the task when the caller leaves while it is in this block, or has left before."""
        self._task = asyncio.current_task()
        if self._has_left:
            self._cancel()
        try:
            yield
        finally:
            self._task = None

    def _cancel(self) -> None:
        if self._task is not None and not self.has_cancelled:
            self.has_cancelled = True
            self._task.cancel()


class Author(NamedTuple):
    """A user and the credentials that they work with, by which the activity log tells them from others."""

    user_id: UUID | None
    key_prefix: str | None
    client: str | None


@dataclass(kw_only=True)
class RequestMetadata:
    """Metadata beside the body of a request: given by the caller (key, expected version), or returned with the answer.

    `tool` is the MCP tool that was called, `source_message` the message of a chat. `dry_run`: run the operation,
    answer, and roll everything back. Its outcome is then in `preview`. `agreement`: how a person is asked about acts;
    None where the caller is the one who agrees. `departure`: whether the caller has left. `proposed_by`: who proposed
    what a person has approved and is being done now. `wordings`: while an act is performed, the words of the screens
    for each doubt; None otherwise.
    """

    request_id: str = ""
    client_address: str = ""
    language: str = ENGLISH
    idempotency_key: str | None = None
    if_match: frozenset[str] | None = None
    tool: str | None = None
    source_message: str | None = None
    dry_run: bool = False
    preview: Preview[object] | None = None
    agreement: Agreement | None = None
    replayed: bool = False
    departure: Departure = field(default_factory=Departure)
    headers: dict[str, str] = field(default_factory=dict)
    proposed_by: "Author | None" = None
    wordings: dict[str, str] | None = None

    def expects(self, version: int) -> bool:
        """Return True unless the caller's If-Match names another version. The first record asked answers for all."""
        expected, self.if_match = self.if_match, None
        return expected is None or str(version) in expected


@dataclass(frozen=True, kw_only=True)
class Context:
    kernel: Kernel
    who: Actor | None = None
    request_metadata: RequestMetadata = field(default_factory=RequestMetadata)
    connection: AsyncConnection | None = None

    @property
    def actor(self) -> Actor:
        """Return the caller. Raises Unauthenticated when there is none."""
        if self.who is None:
            raise unauthenticated()
        return self.who

    @property
    def account(self) -> AccountProfile:
        return self.actor.account

    @property
    def settings(self) -> Settings:
        return self.kernel.settings

    @property
    def db(self) -> AsyncConnection:
        """The connection of the transaction that the gate opened."""
        assert self.connection is not None, "outside a transaction"  # noqa: S101 - our own mistake, never a caller's
        return self.connection

    @property
    def country(self) -> CountryProvider | None:
        """The plug-in of the account's country, if one is installed."""
        return self.kernel.countries.get(self.account.country)

    @property
    def wants_dry_run(self) -> bool:
        """True when the caller wants a dry run and none is running."""
        return self.request_metadata.dry_run and self.kernel.dry_run is None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Context"]:
        """Yield a context inside a transaction of this account: the one that is open already, or a new one."""
        if self.connection is not None:
            yield self
            return
        account = None if self.who is None else self.who.account.id
        async with self.kernel.database.transaction(account) as connection:
            yield replace(self, connection=connection)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator["Context"]:
        """Yield a context that reads this account, in the transaction that is open already, or without one."""
        if self.connection is not None:
            yield self
            return
        async with self.kernel.database.reading(self.account.id) as connection:
            yield replace(self, connection=connection)

    async def transact(self, work: Callable[["Context"], Awaitable[Result]]) -> Result:
        """Return the result of `work`, done in a transaction; after a conflict all of it is done again.

        Raises what `work` and `retry_on_conflict` raise.
        """

        async def attempt() -> Result:
            async with self.transaction() as inner:
                return await work(inner)

        return await retry_on_conflict(attempt)

    async def read(self, work: Callable[["Context"], Awaitable[Result]]) -> Result:
        """Return the result of `work`, which reads without a transaction; after a conflict all of it is done again.

        Raises what `work` and `retry_on_conflict` raise.
        """

        async def attempt() -> Result:
            async with self.reading() as inner:
                return await work(inner)

        return await retry_on_conflict(attempt)

    async def read_snapshot(self, work: Callable[["Context"], Awaitable[Result]]) -> Result:
        """Return what `read` returns; all statements of `work` see the database as the first of them does."""

        async def attempt(inner: Context) -> Result:
            async with snapshot(inner.db):
                return await work(inner)

        return await self.read(attempt)

    def may(self, permission: Permission) -> bool:
        """Return True when the actor holds `permission`. A dry run notes that its outcome depends on it."""
        is_held = self.actor.may(permission)
        if self.kernel.dry_run is not None:
            rights = self.kernel.dry_run.rights
            (rights.held if is_held else rights.lacked).add(permission)
        return is_held

    def note_for_others(self, permission: Permission) -> None:
        """Let a proposal of what is run dry be seen and decided by holders of `permission` only, and its proposer."""
        if self.kernel.dry_run is not None:
            self.kernel.dry_run.rights.of_others.add(permission)

    def require_unless_own(self, owner: UUID | None, permission: Permission) -> None:
        """Check that a record is the actor's, as its `owner`, or that they hold `permission`. Raises as `require`."""
        self.note_for_others(permission)
        if owner is None or owner != self.actor.user_id:
            self.require(permission)

    def require(self, permission: Permission) -> None:
        """Check that the actor holds `permission`.

        Raises Unauthenticated without credentials, or with a key where a login is needed; OutOfScope when the
        credentials do not cover `permission`, Forbidden when the role does not grant it.
        """
        if permission is Permission.PUBLIC:
            return
        if permission is Permission.LOGIN and self.actor.login is None:
            raise Unauthenticated(RequestMsg.KEY_IS_NO_LOGIN, headers={"WWW-Authenticate": "Bearer"})
        if self.may(permission):
            return
        self.require_scope(permission)
        roles = [role.value for role in roles_with(permission)]
        raise Forbidden(
            RequestMsg.ROLE_MAY_NOT,
            extra={"requiredRoles": roles},
            role=self.actor.role,
            permission=permission,
            roles=Joined(roles, CommonMsg.OR),
        )

    def require_scope(self, permission: Permission) -> None:
        """Check that the actor's credentials cover `permission`, whatever the role grants. Raises OutOfScope."""
        may_not_decide = permission is Permission.APPROVALS_DECIDE and not self.actor.may(permission)
        if permission in self.actor.scopes and not (may_not_decide and self.actor.proposes):
            return
        scope = scope_of(permission)
        raise OutOfScope(
            RequestMsg.OUT_OF_SCOPE,
            extra={"requiredPermission": permission.value, "requiredScope": None if scope is None else scope.value},
            permission=permission,
        )


def unauthenticated() -> Unauthenticated:
    return Unauthenticated(RequestMsg.CREDENTIALS_MISSING, headers={"WWW-Authenticate": "Bearer"})
