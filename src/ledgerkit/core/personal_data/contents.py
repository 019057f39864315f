"""Everything that is a person's own, in parts that take seconds each: who they are, then each account they own."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic.alias_generators import to_camel
from sqlalchemy import func, select

from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.database.ids import NO_ID
from ledgerkit.core.database.tables import metadata
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.inspection import export
from ledgerkit.core.einvoice.inspection.export import ExportPeriod
from ledgerkit.core.identity import accounts, closing, members
from ledgerkit.core.invoices.rendering import printed_invoice
from ledgerkit.core.personal_data import rows
from ledgerkit.core.personal_data.archive import PartWriter, new_part
from ledgerkit.core.request.context import Actor, Channel, Context, Kernel
from ledgerkit.core.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.money import dumps_exact
from ledgerkit.problems import NotFound, Problem, Unavailable

PAPERS_AT_ONCE = 25

README = """\
ES. Todo lo tuyo en ledgerkit. persona.json: quién eres y a qué equipos perteneces. Una carpeta por cada cuenta tuya
(tu espacio personal y los equipos que fundaste): data, todas sus tablas en JSON y en CSV; invoices, las facturas
emitidas en PDF; records, los registros de facturación en XML con su manifiesto, un año por carpeta.

EN. Everything of yours in ledgerkit. persona.json: who you are and which teams you belong to. A folder for each account
of yours (your personal workspace and the teams you founded): data, all its tables as JSON and as CSV; invoices, the
issued invoices as PDF; records, the invoice records as XML with their manifest, a folder for each year.
"""


@dataclass(frozen=True)
class Place:
    """Place at which an export goes on: `after` is the last year or the last invoice of the section that is done."""

    account: str
    section: str
    after: str | None = None


async def write_part(kernel: Kernel, user: Any, place: Place | None, path: Path) -> Place | None:
    """Write the part at `place` (None: the first) to `path`, and give the place of the next; None after the last."""
    owned = await _owned(kernel, user.id)
    async with new_part(path) as part:
        if place is None:
            await _person(kernel, user, part)
            return _following(owned, NO_ID)
        account_id = UUID(place.account)
        if account_id not in owned:
            return _following(owned, account_id)
        ctx = await _as_owner(kernel, user, account_id)
        after = await _SECTIONS[place.section](ctx, part, place.after)
    if after is not None:
        return Place(place.account, place.section, after)
    left = _ORDER[_ORDER.index(place.section) + 1 :]
    return Place(place.account, left[0]) if left else _following(owned, account_id)


def _following(owned: Sequence[UUID], done: UUID) -> Place | None:
    """The beginning of the next account after the one that is done."""
    following = [one for one in owned if one > done]
    return Place(str(following[0]), _ORDER[0]) if following else None


async def _person(kernel: Kernel, user: Any, part: PartWriter) -> None:
    async def ask() -> Sequence[Any]:
        async with kernel.database.asking() as db:
            return await closing.memberships(db, user.id)

    belonging = [
        {"id": str(one.id), "name": one.name, "kind": one.kind, "role": one.role, "joinedAt": utc_text(one.joined_at)}
        for one in await retry_on_conflict(ask)
    ]
    known = {name: value for name, value in user._mapping.items() if name in _SHOWN}  # noqa: SLF001 - the documented way to a row's names
    whole = {**_wired(known), "memberships": belonging}
    await part.add("README.txt", README.encode())
    await part.add("persona.json", dumps_exact(whole).encode())


_SHOWN = {"id", "email", "name", "country", "currency", "locale", "time_zone", "email_verified", "created_at"}


async def _data(ctx: Context, part: PartWriter, _: str | None) -> None:
    folder = _folder(ctx)
    async with ctx.reading() as inner:
        people = [{"id": one.user_id, "name": one.name, "email": one.email} for one in await members.everybody(inner)]
    about = {**_wired(asdict(ctx.account)), "members": people}
    await part.add(f"{folder}/account.json", dumps_exact(about).encode())
    for table in rows.tables():
        if not await rows.is_empty(ctx, table):
            await part.add_stream(f"{folder}/data/{table.name}.json", rows.as_json(ctx, table))
            await part.add_stream(f"{folder}/data/{table.name}.csv", rows.as_csv(ctx, table))


async def _records(ctx: Context, part: PartWriter, after: str | None) -> str | None:
    """The invoice records and events of one year, as `GET /api/einvoice/export` gives them."""
    left = [year for year in await _years(ctx) if after is None or year > int(after)]
    if not left:
        return None
    found = await export.export(ctx, ExportPeriod(date(left[0], 1, 1), date(left[0], 12, 31)), most=None)
    async for name, content in found.files:
        await part.add(f"{_folder(ctx)}/records/{left[0]}/{name}", content)
    return str(left[0]) if left[1:] else None


async def _papers(ctx: Context, part: PartWriter, after: str | None) -> str | None:
    """Some of the issued invoices as PDF, with a note in the place of one that cannot be printed."""
    found = await _issued(ctx, after)
    for one in found:
        try:
            name, content = await printed_invoice.pdf(ctx, str(one.id))
        except (NotFound, Unavailable) as problem:
            if isinstance(problem, Unavailable):
                raise  # too many wait to be printed: this part is tried again
            continue  # deleted meanwhile
        except Problem as problem:
            name, content = f"{one.id}.txt", f"{one.number}: {problem.detail}\n".encode()
        await part.add(f"{_folder(ctx)}/invoices/{name}", content)
    return str(found[-1].id) if len(found) == PAPERS_AT_ONCE else None


_SECTIONS = {"data": _data, "records": _records, "papers": _papers}
_ORDER = list(_SECTIONS)


async def _issued(ctx: Context, after: str | None) -> Sequence[Any]:
    invoice = metadata.tables["invoice"].c
    later = invoice.id > (NO_ID if after is None else UUID(after))
    query = select(invoice.id, invoice.number).where(invoice.number.is_not(None), invoice.deleted_at.is_(None), later)

    async def ask() -> Sequence[Any]:
        async with ctx.reading() as inner:
            return (await inner.db.execute(query.order_by(invoice.id).limit(PAPERS_AT_ONCE))).all()

    return await retry_on_conflict(ask)


async def _years(ctx: Context) -> Sequence[int]:
    """Every year from the first record or event to the last, at the account's place."""
    zone = ZoneInfo(ctx.account.time_zone)
    moments = []
    for name in ("fiscal_record", "fiscal_event"):
        made = metadata.tables[name].c.generated_at
        query = select(func.min(made), func.max(made))

        async def ask(query: Any = query) -> Any:
            async with ctx.reading() as inner:
                return (await inner.db.execute(query)).one()

        moments += [one.astimezone(zone).year for one in await retry_on_conflict(ask) if one is not None]
    return range(min(moments), max(moments) + 1) if moments else ()


async def _owned(kernel: Kernel, user_id: UUID) -> Sequence[UUID]:
    async def ask() -> Sequence[UUID]:
        async with kernel.database.asking() as db:
            return await closing.owned(db, user_id)

    return [UUID(bytes=one.bytes) for one in await retry_on_conflict(ask)]


async def _as_owner(kernel: Kernel, user: Any, account_id: UUID) -> Context:
    """The person at work in an account of theirs, as long as it is theirs: asked anew for every part."""
    profile = await accounts.load(kernel, account_id)
    actor = Actor(
        user_id=user.id,
        user_name=user.name,
        email=user.email,
        role=Role.OWNER,
        permissions=ROLE_PERMISSIONS[Role.OWNER],
        account=profile,
        channel=Channel.SYSTEM,
    )
    return Context(kernel=kernel, who=actor)


def _folder(ctx: Context) -> str:
    plain = unicodedata.normalize("NFKD", ctx.account.name).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "account"
    return f"{name}-{ctx.account.id.hex[-6:]}"


def _wired(values: dict[str, Any]) -> dict[str, Any]:
    return {to_camel(name): rows.plain(value) for name, value in values.items()}
