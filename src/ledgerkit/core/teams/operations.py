"""Teams: the issuer's data, the active team, and the actor's rights in it."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import Select, Text, Uuid, and_, bindparam, cast, func, insert, null, select, update

from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.logins.authentication import not_a_member, profile, refused
from ledgerkit.core.platform.identity.logins.tokens import Tokens, beginning
from ledgerkit.core.platform.identity.operations import current_user
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.identity.persons.access import KeyVersionRow
from ledgerkit.core.platform.identity.table import StoredAccountRow, account, api_key, app_user, membership
from ledgerkit.core.platform.identity.texts import IdentityMsg
from ledgerkit.core.platform.request.context import AccountProfile, Author, Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.platform.request.scopes import scopes_within
from ledgerkit.core.teams import acts
from ledgerkit.core.teams.api import (
    ActiveTeam,
    CurrentTeam,
    Me,
    MyRole,
    NewKey,
    Team,
    TeamAnswer,
    TeamChange,
    TeamFields,
    TeamInput,
    UsualTaxRate,
    WhoAmI,
)
from ledgerkit.core.teams.issuer import einvoicing_choice, regimes, series
from ledgerkit.core.teams.logo import upload as logo
from ledgerkit.core.teams.members import roster
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Code, Conflict, Forbidden, Invalid, NotFound, PreconditionFailed, Unavailable
from ledgerkit.texts import problem_text


class TeamRow(StoredAccountRow):
    """A team with its key and number of members; `role` is null for a team's key, which has no membership."""

    key_id: UUID | None
    key_version: int | None
    member_count: int
    role: str | None


def _teams() -> Select[tuple[object, ...]]:
    peers = membership.alias("peers")
    count = select(func.count()).select_from(peers).where(peers.c.account_id == account.c.id).scalar_subquery()
    key = and_(api_key.c.kind == "team", api_key.c.owner_id == account.c.id)
    columns = (api_key.c.id.label("key_id"), api_key.c.version.label("key_version"), count.label("member_count"))
    return select(account, *columns).outerjoin(api_key, key).where(account.c.kind == "team")


_IS_TEAM = account.c.id == bindparam("team", type_=Uuid)
_OF_USER = (
    _teams()
    .add_columns(membership.c.role)
    .join(
        membership,
        and_(membership.c.account_id == account.c.id, membership.c.user_id == bindparam("user", type_=Uuid)),
    )
)
_ALL_OF_USER = Prepared(_OF_USER.order_by(account.c.created_at, account.c.id), TeamRow)
_ONE_OF_USER = Prepared(_OF_USER.where(_IS_TEAM), TeamRow)
_ONE_OF_USER_LOCKED = Prepared(
    _OF_USER.where(_IS_TEAM).with_for_update(read=True, key_share=True, of=membership), TeamRow
)
_ONE_OF_KEY = Prepared(_teams().add_columns(cast(null(), Text).label("role")).where(_IS_TEAM), TeamRow)
_LOCKED = Prepared(
    select(account).where(account.c.id == bindparam("id", type_=Uuid)).with_for_update(), StoredAccountRow
)
_RENEW_KEY = Prepared(
    update(api_key)
    .where(api_key.c.kind == "team", api_key.c.owner_id == bindparam("owner", type_=Uuid))
    .values(version=api_key.c.version + 1)
    .returning(api_key.c.id, api_key.c.version),
    KeyVersionRow,
)


@operation(
    Permission.ACCOUNT,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED, Code.SERIES_TAKEN}),
        (Conflict, {Code.EINVOICING_OBLIGED}),
        (Unavailable, {Code.SERVER_BUSY}),
    ],
    sealed=True,
)
async def create(ctx: Context, data: TeamInput) -> Team:
    """Create a team, owned by its creator and active from now on.

    The first one takes over the personal workspace with all its data; later ones start empty.
    Raises Invalid TAX_ID_INVALID; Conflict EINVOICING_OBLIGED.
    """
    if ctx.actor.user_id is None:
        raise Forbidden(TeamsMsg.KEY_OF_A_TEAM)
    if ctx.actor.works_in_one_account:
        raise Forbidden(TeamsMsg.LIMITED_TO_ONE_TEAM)
    values = await _first_values(ctx, data, ctx.actor.user_id)
    adopted_id = await _adopt_personal(ctx, ctx.actor.user_id, values)
    account_id = adopted_id or await _create_empty(ctx, ctx.actor.user_id, values)
    warnings = await _settle(ctx, account_id, data, values)
    await ctx.db.execute(
        update(app_user).where(app_user.c.id == ctx.actor.user_id).values(active_account_id=account_id)
    )
    await enter(ctx.db, account_id)
    await activity.record(ctx, "created", ("team", account_id), data.name)
    return await _team(ctx, account_id, warnings, changed=True)


@operation(
    Permission.TEAM_WRITE,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED, Code.SERIES_TAKEN}),
        (Conflict, {Code.EINVOICING_OBLIGED, Code.TEAM_EXISTS}),
        (Unavailable, {Code.SERVER_BUSY}),
        *guard.PROOF_ERRORS,
    ],
    act=acts.SET_UP,
)
async def set_up(ctx: Context, data: TeamInput) -> TeamAnswer:
    """Make the personal workspace that is worked in a team, with all its data; no other account is touched.

    Credentials for this account work in the team from now on, and the person's active account stays the one it is. An
    IBAN needs a recent password, as in a change. The answer has no key.
    Raises Conflict TEAM_EXISTS in a team, also when another request was faster.
    """
    if ctx.account.is_team or ctx.actor.user_id is None:
        raise _exists()
    if data.iban:
        guard.require_recent_password(ctx)
    values = await _first_values(ctx, data, ctx.actor.user_id)
    if await _adopt_personal(ctx, ctx.actor.user_id, values, ctx.account.id) is None:
        raise _exists()
    warnings = await _settle(ctx, ctx.account.id, data, values)
    await activity.record(ctx, "created", ("team", ctx.account.id), data.name)
    team = await _team(ctx, ctx.account.id, warnings, changed=True)
    return TeamAnswer(team=team.model_copy(update={"api_key": None}))


@operation(Permission.ACCOUNT, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def current(ctx: Context) -> CurrentTeam:
    """Return the active team and its members. Raises NotFound NO_TEAM in a personal workspace."""
    roster.require_team(ctx.account)
    members = [roster.MEMBERS.shape(row) for row in await roster.members(ctx)]
    warnings = [*await series.warnings(ctx, ctx.account), *_warnings(ctx, ctx.account)]
    return CurrentTeam(team=await _team(ctx, ctx.account.id, warnings), members=members)


@operation(
    Permission.TEAM_WRITE,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED, Code.SERIES_TAKEN}),
        (NotFound, {Code.NO_TEAM}),
        (Conflict, {Code.EINVOICING_STARTED, Code.EINVOICING_OBLIGED}),
        (Unavailable, {Code.SERVER_BUSY}),
        *guard.PROOF_ERRORS,
    ],
    effects=Effect.IDEMPOTENT,
    act=acts.PROFILE,
)
async def update_current(ctx: Context, data: TeamChange) -> TeamAnswer:
    """Change the fields that were sent. Documents that were issued before keep the issuer as it was.

    Another IBAN needs a recent password (PasswordNeeded): it decides where clients pay.
    """
    roster.require_team(ctx.account)
    picture = await logo.cleaned(ctx, data.logo)  # before the team is locked: this may take a while
    old = await _LOCKED.one(ctx.db, id=ctx.account.id)
    _check_version(ctx, old.version)
    country = data.country if "country" in data.model_fields_set else old.country
    values = _values(ctx, data, picture, country=country)
    if values.of(StoredAccountRow.iban, old.iban) != old.iban:
        guard.require_recent_password(ctx)
    values |= regimes.changed(ctx, data, values, profile(old))
    einvoicing_choice.check(ctx, values, profile(old))
    new_values = {**values, "version": account.c.version + 1, "updated_at": func.now()}
    await ctx.db.execute(update(account).where(account.c.id == old.id).values(new_values))
    settled = await series.settle(ctx, old.id, data, values, profile(old))
    logged_values = {name: value for name, value in settled.values.items() if name != "logo"}
    changes = activity.changed({name: getattr(old, name) for name in logged_values}, logged_values)
    if values.of(StoredAccountRow.logo, old.logo) != old.logo:
        changes = {**changes, "logo": (old.logo is not None, values.of(StoredAccountRow.logo) is not None)}
    await activity.record(ctx, "updated", ("team", old.id), values.of(StoredAccountRow.name, old.name), changes)
    return TeamAnswer(team=await _team(ctx, old.id, settled.warnings, changed=True))


@operation(Permission.ACCOUNT, effects=Effect.IDEMPOTENT, sealed=True)
async def switch(ctx: Context, team_id: str) -> TeamAnswer:
    """Make another team of the actor's the active one; credentials for one account stay in theirs.

    Raises Forbidden NOT_TEAM_MEMBER, also when there is no such team.
    """
    try:
        account_id = UUID(team_id)
    except ValueError:
        raise not_a_member() from None
    # Locked, so that a person who is removed meanwhile is not left in a team that they do not belong to any more.
    row = await _team_row(ctx, account_id, lock=True)
    if row is None:
        raise not_a_member()
    if not ctx.actor.works_in_one_account:
        activated = update(app_user).where(app_user.c.id == ctx.actor.user_id).values(active_account_id=account_id)
        await ctx.db.execute(activated)
    return TeamAnswer(team=_as_team(ctx, row, active=account_id))


@operation(
    Permission.TEAM_KEY,
    errors=[(NotFound, {Code.NO_TEAM}), *guard.PROOF_ERRORS],
    effects=Effect.DESTRUCTIVE,
    sealed=True,
)
async def regenerate_key(ctx: Context) -> NewKey:
    """Replace the team's API key; the one before is void with the commit. Raises NotFound NO_TEAM, PasswordNeeded."""
    roster.require_team(ctx.account)
    guard.require_recent_password(ctx)
    key = await _RENEW_KEY.one(ctx.db, owner=ctx.account.id)
    await approvals.reject_those_with(ctx, Author(None, beginning(key.id), None), ApprovalsMsg.KEY_REVOKED)
    await activity.record(ctx, "key_regenerated", ("team", ctx.account.id), ctx.account.name)
    return NewKey(api_key=ctx.kernel.service(Tokens).api_key(key.id, "team", ctx.account.id, key.version))


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def my_teams(ctx: Context) -> list[Team]:
    """Return all teams that the actor belongs to, the oldest first; for credentials of one account that team only."""
    if ctx.actor.works_in_one_account:
        row = await _team_row(ctx, ctx.account.id)
        rows = [] if row is None else [row]
    else:
        rows = await _ALL_OF_USER.rows(ctx.db, user=ctx.actor.user_id)
    return [_as_team(ctx, row, active=ctx.account.id) for row in rows]


@operation(Permission.ACCOUNT, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def my_role(ctx: Context) -> MyRole:
    """Return the actor's role in the active team; `owner` and no team in the personal workspace."""
    team_id = str(ctx.account.id) if ctx.account.is_team else None
    return MyRole(role=ctx.actor.role.value, team_id=team_id)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def usual_tax_rate(ctx: Context) -> UsualTaxRate:
    """Return the rate of lines that name none, today: the account's, else the general one of its country."""
    rate = ctx.account.default_tax_rate
    if rate is None and ctx.country is not None:
        rate = next((rate.percent for rate in ctx.country.tax.rates(ctx.account.today())), None)
    return UsualTaxRate(tax_rate=rate)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def me(ctx: Context) -> Me:
    """Return the user who asks (the owner for a team's key), the balance of AI actions and the areas open to them."""
    return Me(
        user=await current_user(ctx),
        tokens=await ai.balance(ctx),
        modules=modules(ctx),
        scopes=scopes_within(ctx.actor.scopes),
    )


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def whoami(ctx: Context) -> WhoAmI:
    """Return the answer of `me` together with the active team and the actor's role in it."""
    team = ctx.account
    active_team = ActiveTeam(
        id=str(team.id),
        name=team.name,
        tax_id=team.tax_id,
        country=team.country,
        einvoicing=einvoicing_state.state(ctx.kernel, team),
    )
    return WhoAmI(**dict(await me(ctx)), team=active_team if team.is_team else None, role=ctx.actor.role.value)


def modules(ctx: Context) -> list[str]:
    """Return the areas of this server that are open to the actor."""
    has_channel = ctx.country is not None and bool(ctx.country.channels)
    allowed = [area for area, permissions in _AREAS.items() if any(map(ctx.actor.may, permissions))]
    return [area for area in allowed if area != "einvoice" or has_channel]


_AREAS = {
    "invoices": {Permission.INVOICES_READ},
    "clients": {Permission.CLIENTS_READ},
    "expenses": {Permission.EXPENSES_READ},
    "catalog": {Permission.CATALOG_READ},
    "tasks": {Permission.TASKS_READ},
    "team": {Permission.TEAM_READ},
    "context": {Permission.CONTEXT_READ},
    "taxDeclarations": {Permission.DECLARATIONS_READ},
    "vendors": {Permission.VENDORS_READ},
    "supplierInvoices": {Permission.SUPPLIER_INVOICES_READ},
    "einvoice": {Permission.EINVOICE_READ},
    "cashRegister": {Permission.CASH_REGISTER_USE, Permission.CASH_REGISTER_READ},
    "mcp": {Permission.ACCOUNT},
}
"""Areas of the application, with the permissions of which any one opens each."""


def _check_version(ctx: Context, version: int) -> None:
    if not ctx.request_metadata.expects(version):
        raise PreconditionFailed(TeamsMsg.CHANGED)


def _exists() -> Conflict:
    return Conflict(TeamsMsg.IS_A_TEAM, code=Code.TEAM_EXISTS)


async def _first_values(ctx: Context, data: TeamInput, user_id: UUID) -> Values[StoredAccountRow]:
    """Return the columns of a new team, and lock the person who will own it. Raises what `create` raises."""
    picture = await logo.cleaned(ctx, data.logo)
    values = _values(ctx, data, picture, country=data.country)
    before = einvoicing_choice.initial_profile(ctx)
    values |= regimes.changed(ctx, data, values, before)
    einvoicing_choice.check(ctx, values, before)
    if await persons.lock(ctx.db, user_id) is None:
        raise refused(IdentityMsg.USER_DELETED)
    return values


async def _settle(ctx: Context, account_id: UUID, data: TeamInput, values: Values[StoredAccountRow]) -> Sequence[str]:
    """Give a new team its series and its key, and return the warnings about the series."""
    settled = await series.settle(ctx, account_id, data, values, None)
    await ctx.db.execute(insert(api_key).values(id=new_id(), kind="team", owner_id=account_id))
    return settled.warnings


async def _adopt_personal(
    ctx: Context, user_id: UUID, values: Values[StoredAccountRow], workspace_id: UUID | None = None
) -> UUID | None:
    """Turn the user's personal account into the team and return its id; None when they have none any more.

    With `workspace_id` it is that account or none.
    """
    of_user = select(membership.c.account_id).where(membership.c.user_id == user_id)
    conditions = [account.c.id.in_(of_user), account.c.kind == "personal"]
    if workspace_id is not None:
        conditions.append(account.c.id == workspace_id)
    statement = (
        update(account)
        .where(*conditions)
        .values({**values, "kind": "team", "version": account.c.version + 1, "updated_at": func.now()})
        .returning(account.c.id)
    )
    adopted_id: UUID | None = await ctx.db.scalar(statement)
    return adopted_id


async def _create_empty(ctx: Context, user_id: UUID, values: Values[StoredAccountRow]) -> UUID:
    account_id = new_id()
    row, present = StoredAccountRow, ctx.account
    defaults = Values(row, currency=present.currency, time_zone=present.time_zone, email=ctx.actor.email)
    await ctx.db.execute(insert(account).values(defaults | values | Values(row, id=account_id, kind="team")))
    await accounts.add_owner(ctx.db, account_id, user_id)
    return account_id


def _values(ctx: Context, data: TeamFields, picture: str | None, *, country: str) -> Values[StoredAccountRow]:
    """Return the columns of the fields that were sent; null clears an optional field and is ignored for another."""
    row, sent = StoredAccountRow, data.model_fields_set
    required = {"currency", "payment_term_days", "higher_simplified_limit", "einvoicing"}
    cleared = {name for name in required if getattr(data, name) is None}
    values = Values.copied(row, data, sent - _NOT_COPIED - cleared)
    if data.timezone is not None:
        values |= Values(row, time_zone=data.timezone)
    if data.series is not None:
        values |= Values(row, series=data.series.model_dump(exclude_none=True))
    if "logo" in sent:
        values |= Values(row, logo=picture)
    if "tax_id" in sent:
        values |= Values(row, tax_id=_tax_id(ctx, data.tax_id, country))
    return values


_NOT_COPIED = {"logo", "regime", "regime_from", "series", "tax_id", "timezone"}
"""Fields that are no columns of their names and values."""


def _tax_id(ctx: Context, tax_id: str | None, country: str) -> str | None:
    provider = ctx.kernel.countries.get(country)
    if not tax_id or provider is None:
        return tax_id or None
    verdict = provider.tax.check_tax_id(tax_id, country)
    if not verdict.valid:
        reason = problem_text(TeamsMsg.TAX_ID_INVALID, {})
        problem = reason if verdict.reason is None else replace(reason, message=verdict.reason)
        raise Invalid.field("taxId", problem, code=Code.TAX_ID_INVALID)
    return verdict.normalised


async def _team_row(ctx: Context, team_id: UUID, *, lock: bool = False) -> TeamRow | None:
    """Return a team that the actor belongs to, None for another one. Some credentials belong to one team only."""
    if ctx.actor.works_in_one_account and team_id != ctx.account.id:
        return None
    if ctx.actor.user_id is None:
        return await _ONE_OF_KEY.row(ctx.db, team=team_id)
    statement = _ONE_OF_USER_LOCKED if lock else _ONE_OF_USER
    return await statement.row(ctx.db, user=ctx.actor.user_id, team=team_id)


async def _team(ctx: Context, account_id: UUID, warnings: Sequence[str], *, changed: bool = False) -> Team:
    """Return the team; `changed`: with warnings about its present profile, beside `warnings`."""
    row = await _team_row(ctx, account_id)
    assert row is not None  # noqa: S101 - the actor works in it
    of_profile = _warnings(ctx, profile(row)) if changed else []
    return _as_team(ctx, row, active=account_id, warnings=[*warnings, *of_profile])


def _warnings(ctx: Context, team: AccountProfile) -> list[str]:
    """Return the warnings about what is, or will be, recorded of the team's documents."""
    warnings = [*einvoicing_choice.warnings(ctx.kernel, team), *regimes.warnings(ctx.kernel, team)]
    return [warning.in_language(ctx.request_metadata.language) for warning in warnings]


def _as_team(ctx: Context, row: TeamRow, *, active: UUID, warnings: Sequence[str] = ()) -> Team:
    role = ctx.actor.role.value if row.role is None else row.role
    key = None
    granted = ROLE_PERMISSIONS[Role(role)] & ctx.actor.scopes
    if Permission.TEAM_KEY in granted and row.key_id is not None and row.key_version is not None:
        key = ctx.kernel.service(Tokens).api_key(row.key_id, "team", row.id, row.key_version)
    team = profile(row)
    derived = {
        **regimes.shown(ctx.kernel, team),
        "id": str(row.id),
        "timezone": row.time_zone,
        "role": role,
        "api_key": key,
        "is_active": row.id == active,
        "warnings": list(warnings),
        "einvoicing": einvoicing_state.state(ctx.kernel, team),
    }
    return Team.model_validate({name: getattr(row, name) for name in Team.model_fields.keys() - derived} | derived)
