"""Teams: the issuer's data, whom one works for, and what one may do there."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import and_, func, insert, select, update

from ledgerkit.core.activity import service as activity
from ledgerkit.core.ai import service as ai
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import enter
from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.identity import accounts, persons
from ledgerkit.core.identity.authentication import not_a_member, profile, refused
from ledgerkit.core.identity.models import account, api_key, app_user, membership
from ledgerkit.core.identity.service import as_user, user_query
from ledgerkit.core.identity.tokens import Tokens
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.teams import logo, reporting, roster
from ledgerkit.core.teams.messages import TeamsMsg
from ledgerkit.core.teams.schemas import (
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
    WhoAmI,
)
from ledgerkit.problems import (
    Code,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PreconditionFailed,
    Unavailable,
    bilingual_field,
)


@operation(
    Permission.ACCOUNT,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED}),
        (Unavailable, {Code.SERVER_BUSY}),
    ],
    sealed=True,
)
async def create(ctx: Context, data: TeamInput) -> Team:
    """A new team, active from now on, owned by its creator.

    The first one takes over the personal workspace with all its data; later ones start empty.
    Raises Invalid TAX_ID_INVALID.
    """
    if ctx.actor.user_id is None:
        raise Forbidden(TeamsMsg.KEY_OF_A_TEAM)
    drawn = await logo.cleaned(ctx, data.logo)
    values = _values(ctx, data, drawn, country=data.country)
    reporting.check(ctx, values, reporting.unfounded(ctx))
    if await persons.lock(ctx.db, ctx.actor.user_id) is None:
        raise refused("The user has been deleted.", "La persona se ha borrado.")
    adopted = await _adopt_personal(ctx, ctx.actor.user_id, values)
    account_id = adopted or await _found_empty(ctx, ctx.actor.user_id, values)
    await ctx.db.execute(insert(api_key).values(id=new_id(), kind="team", owner_id=account_id))
    await ctx.db.execute(
        update(app_user).where(app_user.c.id == ctx.actor.user_id).values(active_account_id=account_id)
    )
    await enter(ctx.db, account_id)
    await activity.record(ctx, "created", ("team", account_id), data.name)
    return await _team(ctx, account_id)


@operation(Permission.ACCOUNT, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def current(ctx: Context) -> CurrentTeam:
    """The active team and its members. Raises NotFound NO_TEAM in a personal workspace."""
    roster.require_team(ctx.account)
    found = await ctx.db.execute(roster.members(ctx))
    return CurrentTeam(team=await _team(ctx, ctx.account.id), members=[roster.as_member(row) for row in found])


@operation(
    Permission.TEAM_WRITE,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.ISSUER_INCOMPLETE, Code.EINVOICE_UNSUPPORTED}),
        (NotFound, {Code.NO_TEAM}),
        (Conflict, {Code.EINVOICING_STARTED}),
        (Unavailable, {Code.SERVER_BUSY}),
    ],
    effects=Effect.IDEMPOTENT,
)
async def update_current(ctx: Context, data: TeamChange) -> TeamAnswer:
    """Change the fields given. Documents already issued keep the issuer as it was."""
    roster.require_team(ctx.account)
    drawn = await logo.cleaned(ctx, data.logo)  # before the team is locked: this may take a while
    old = (await ctx.db.execute(select(account).where(account.c.id == ctx.account.id).with_for_update())).one()
    _check_version(ctx, old.version)
    country = data.country if "country" in data.model_fields_set else old.country
    values = _values(ctx, data, drawn, country=country)
    reporting.check(ctx, values, profile(old))
    stamped = {**values, "version": account.c.version + 1, "updated_at": func.now()}
    await ctx.db.execute(update(account).where(account.c.id == old.id).values(stamped))
    shown = {name: value for name, value in values.items() if name != "logo"}
    changes = activity.changed({name: getattr(old, name) for name in shown}, shown)
    await activity.record(ctx, "updated", ("team", old.id), values.get("name", old.name), changes)
    return TeamAnswer(team=await _team(ctx, old.id))


@operation(Permission.ACCOUNT, effects=Effect.IDEMPOTENT, sealed=True)
async def switch(ctx: Context, team_id: str) -> TeamAnswer:
    """Make a team of one's own the active one. Raises Forbidden NOT_TEAM_MEMBER, also when there is no such team."""
    try:
        wanted = UUID(team_id)
    except ValueError:
        raise not_a_member() from None
    # Locked, so that who is removed meanwhile is not left in a team that is not theirs any more.
    held = {} if ctx.actor.user_id is None else {"read": True, "key_share": True, "of": membership}
    query = _teams(ctx).where(account.c.id == wanted)
    query = query.with_for_update(**held) if held else query
    found = (await ctx.db.execute(query)).one_or_none()
    if found is None:
        raise not_a_member()
    if ctx.actor.user_id is not None:
        chosen = update(app_user).where(app_user.c.id == ctx.actor.user_id).values(active_account_id=wanted)
        await ctx.db.execute(chosen)
    return TeamAnswer(team=_as_team(ctx, found, active=wanted))


@operation(Permission.TEAM_KEY, errors=[(NotFound, {Code.NO_TEAM})], effects=Effect.DESTRUCTIVE, sealed=True)
async def regenerate_key(ctx: Context) -> NewKey:
    """The team's next key; the one before is dead with the commit. Raises NotFound NO_TEAM."""
    roster.require_team(ctx.account)
    own = api_key.c.kind == "team", api_key.c.owner_id == ctx.account.id
    statement = update(api_key).where(*own).values(version=api_key.c.version + 1)
    row = (await ctx.db.execute(statement.returning(api_key.c.id, api_key.c.version))).one()
    await activity.record(ctx, "key_regenerated", ("team", ctx.account.id), ctx.account.name)
    return NewKey(api_key=ctx.kernel.service(Tokens).api_key(row.id, "team", ctx.account.id, row.version))


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def mine(ctx: Context) -> list[Team]:
    """All teams one belongs to, the oldest first."""
    found = await ctx.db.execute(_teams(ctx).order_by(account.c.created_at, account.c.id))
    return [_as_team(ctx, row, active=ctx.account.id) for row in found]


@operation(Permission.ACCOUNT, unit=Unit.READING, errors=[(NotFound, {Code.NO_TEAM})])
async def my_role(ctx: Context) -> MyRole:
    """One's role in the active team; `owner` and no team in the personal workspace."""
    team_id = str(ctx.account.id) if ctx.account.is_team else None
    return MyRole(role=ctx.actor.role.value, team_id=team_id)


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def me(ctx: Context) -> Me:
    """Who is logged in, the AI balance, and the areas that are open to them."""
    owner = select(membership.c.user_id).where(
        membership.c.account_id == ctx.account.id, membership.c.role == Role.OWNER.value
    )
    person = app_user.c.id == (ctx.actor.user_id or owner.scalar_subquery())
    row = (await ctx.db.execute(user_query().where(person))).one()
    return Me(user=as_user(row), tokens=await ai.balance(ctx), modules=modules(ctx))


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def whoami(ctx: Context) -> WhoAmI:
    """`me` together with the active team and one's role in it, for a caller who asks once."""
    known = await me(ctx)
    team = ctx.account
    shown = ActiveTeam(
        id=str(team.id),
        name=team.name,
        tax_id=team.tax_id,
        country=team.country,
        einvoicing=einvoicing_state.state(ctx.kernel, team),
    )
    return WhoAmI(
        user=known.user,
        team=shown if team.is_team else None,
        role=ctx.actor.role.value,
        modules=known.modules,
        tokens=known.tokens,
    )


def modules(ctx: Context) -> list[str]:
    """The areas this server has and the actor's permissions open."""
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
    "vendors": {Permission.VENDORS_READ},
    "supplierInvoices": {Permission.SUPPLIER_INVOICES_READ},
    "einvoice": {Permission.EINVOICE_READ},
    "cashRegister": {Permission.CASH_REGISTER_USE, Permission.CASH_REGISTER_READ},
    "mcp": {Permission.ACCOUNT},
}
"""The areas that are built, with what opens each: any one of its permissions is enough."""


def _check_version(ctx: Context, version: int) -> None:
    if not ctx.request_metadata.expects(version):
        raise PreconditionFailed(TeamsMsg.CHANGED)


async def _adopt_personal(ctx: Context, user_id: UUID, values: Mapping[str, Any]) -> UUID | None:
    """Turn the user's personal account into the team; None when there is none any more."""
    own = select(membership.c.account_id).where(membership.c.user_id == user_id)
    statement = (
        update(account)
        .where(account.c.id.in_(own), account.c.kind == "personal")
        .values({**values, "kind": "team", "version": account.c.version + 1, "updated_at": func.now()})
        .returning(account.c.id)
    )
    adopted: UUID | None = (await ctx.db.execute(statement)).scalar_one_or_none()
    return adopted


async def _found_empty(ctx: Context, user_id: UUID, values: Mapping[str, Any]) -> UUID:
    account_id = new_id()
    defaults = {"currency": ctx.account.currency, "time_zone": ctx.account.time_zone, "email": ctx.actor.email}
    await ctx.db.execute(insert(account).values({**defaults, **values, "id": account_id, "kind": "team"}))
    await accounts.own(ctx.db, account_id, user_id)
    return account_id


def _values(ctx: Context, data: TeamFields, drawn: str | None, *, country: str) -> dict[str, Any]:
    """Columns of the fields given; null clears a field that may be empty, and is ignored for the others."""
    given = {name: getattr(data, name) for name in data.model_fields_set}
    required = {"currency", "timezone", "payment_term_days", "series", "einvoicing"}
    values = {name: value for name, value in given.items() if value is not None or name not in required}
    if "timezone" in values:
        values["time_zone"] = values.pop("timezone")
    if data.series is not None:
        values["series"] = data.series.model_dump(exclude_none=True)
    if "logo" in values:
        values["logo"] = drawn
    if "tax_id" in values:
        values["tax_id"] = _tax_id(ctx, data.tax_id, country)
    return values


def _tax_id(ctx: Context, tax_id: str | None, country: str) -> str | None:
    provider = ctx.kernel.countries.get(country)
    if not tax_id or provider is None:
        return tax_id or None
    verdict = provider.tax.check_tax_id(tax_id, country)
    if not verdict.valid:
        raise bilingual_field(
            "taxId",
            (verdict.reason or "is not a valid tax identifier", "Correct it; the tax office knows no other."),
            ("no es un NIF válido", "Corrígelo; la Agencia Tributaria no conoce otro."),
            code=Code.TAX_ID_INVALID,
        )
    return verdict.normalised


def _teams(ctx: Context) -> Any:
    """The actor's teams, with role, key and number of members. A team's key belongs to exactly its team."""
    peers = membership.alias("peers")
    count = select(func.count()).select_from(peers).where(peers.c.account_id == account.c.id).scalar_subquery()
    key = and_(api_key.c.kind == "team", api_key.c.owner_id == account.c.id)
    columns = (api_key.c.id.label("key_id"), api_key.c.version.label("key_version"), count.label("member_count"))
    query = select(account, *columns).outerjoin(api_key, key).where(account.c.kind == "team")
    if ctx.actor.user_id is None:
        return query.where(account.c.id == ctx.account.id)
    mine = and_(membership.c.account_id == account.c.id, membership.c.user_id == ctx.actor.user_id)
    return query.add_columns(membership.c.role).join(membership, mine)


async def _team(ctx: Context, account_id: UUID) -> Team:
    row = (await ctx.db.execute(_teams(ctx).where(account.c.id == account_id))).one()
    return _as_team(ctx, row, active=account_id)


def _as_team(ctx: Context, row: Any, *, active: UUID) -> Team:
    role = ctx.actor.role.value if ctx.actor.user_id is None else row.role
    shown = {name: getattr(row, name) for name in Team.model_fields if name in row._fields}
    key = None
    granted = ROLE_PERMISSIONS[Role(role)] & ctx.actor.scopes
    if Permission.TEAM_KEY in granted and row.key_id is not None:
        key = ctx.kernel.service(Tokens).api_key(row.key_id, "team", row.id, row.key_version)
    derived = {"timezone": row.time_zone, "role": role, "api_key": key, "is_active": row.id == active}
    derived |= {"einvoicing": einvoicing_state.state(ctx.kernel, profile(row))}
    return Team.model_validate(shown | derived | {"id": str(row.id)})
