"""Content of an export, in parts that take seconds each: the person first, then each account that they own."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic.alias_generators import to_camel
from sqlalchemy import func, select

from ledgerkit.core.einvoice.inspection import export
from ledgerkit.core.einvoice.inspection.export import ExportPeriod
from ledgerkit.core.messaging import operations as messaging
from ledgerkit.core.operation.personal_data.export import rows
from ledgerkit.core.operation.personal_data.export.archive import PartWriter, new_part
from ledgerkit.core.operation.personal_data.table import ExportPosition
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.attachments.store import account as attachments
from ledgerkit.core.platform.database.ids import NO_ID
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.accounts import closure, members
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.persons import scoped_keys
from ledgerkit.core.platform.identity.persons.access import StoredUser
from ledgerkit.core.platform.identity.persons.scoped_keys import KeyOfPersonRow
from ledgerkit.core.platform.oauth.grants import operations as grants
from ledgerkit.core.platform.request.context import Actor, Channel, Context, Kernel
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.money import dumps_exact
from ledgerkit.problems import NotFound, Problem, Unavailable

INVOICES_PER_PART = 25
ATTACHMENTS_PER_PART = 50

README = """\
ES. Todo lo tuyo en ledgerkit. persona.json: quién eres y a qué equipos perteneces. Una carpeta por cada cuenta tuya
(tu espacio personal y los equipos que fundaste): data, todas sus tablas en JSON y en CSV; invoices, las facturas
emitidas en PDF; records, los registros de facturación en XML con su manifiesto, un año por carpeta; attachments, los
archivos adjuntos a tus documentos.

EN. Everything of yours in ledgerkit. persona.json: who you are and which teams you belong to. A folder for each account
of yours (your personal workspace and the teams you founded): data, all its tables as JSON and as CSV; invoices, the
issued invoices as PDF; records, the invoice records as XML with their manifest, a folder for each year; attachments,
the files of your documents.
"""


class NumberedInvoiceRow(Row):
    id: UUID
    number: str


class PeriodRow(Row):
    first: datetime | None
    last: datetime | None


async def write_part(
    kernel: Kernel, user: StoredUser, position: ExportPosition | None, path: Path
) -> ExportPosition | None:
    """Write the part at `position` (None: the first) to `path`; return the next position, None after the last part."""
    owned = await _owned(kernel, user.id)
    async with new_part(path) as part:
        if position is None:
            await _write_person(kernel, user, part)
            return _start_of_account(owned, NO_ID)
        account_id = UUID(position.account)
        if account_id not in owned:
            return _start_of_account(owned, account_id)
        ctx = await _as_owner(kernel, user, account_id)
        after = await _SECTIONS[position.section](ctx, part, position.after)
    if after is not None:
        return ExportPosition(account=position.account, section=position.section, after=after)
    remaining = _ORDER[_ORDER.index(position.section) + 1 :]
    if remaining:
        return ExportPosition(account=position.account, section=remaining[0])
    return _start_of_account(owned, account_id)


def _start_of_account(owned: Sequence[UUID], previous_id: UUID) -> ExportPosition | None:
    """Return the start of the account after the previous one; None after the last."""
    following = [account_id for account_id in owned if account_id > previous_id]
    return ExportPosition(account=str(following[0]), section=_ORDER[0]) if following else None


async def _write_person(kernel: Kernel, user: StoredUser, part: PartWriter) -> None:
    memberships = [
        {"id": str(row.id), "name": row.name, "kind": row.kind, "role": row.role, "joinedAt": utc_text(row.joined_at)}
        for row in await identity_queries.look_up(kernel, lambda db: closure.memberships(db, user.id))
    ]
    keys = [
        _with_wire_names({name: getattr(row, name) for name in KeyOfPersonRow.__annotations__})
        for row in await scoped_keys.of_person(kernel, user.id)
    ]
    shown = _with_wire_names({name: getattr(user, name) for name in _SHOWN})
    applications = [grant.model_dump(mode="json", by_alias=True) for grant in await grants.of_person(kernel, user.id)]
    chats = [link.model_dump(mode="json", by_alias=True) for link in await messaging.of_person(kernel, user.id)]
    person = {
        **shown,
        "memberships": memberships,
        "apiKeys": keys,
        "connectedApplications": applications,
        "linkedChats": chats,
    }
    await part.add("README.txt", README.encode())
    await part.add("persona.json", dumps_exact(person).encode())


_SHOWN = ("id", "email", "name", "country", "currency", "locale", "time_zone", "email_verified", "created_at")


async def _write_tables(ctx: Context, part: PartWriter, _: str | None) -> None:
    folder = _folder(ctx)
    async with ctx.reading() as inner:
        everybody = await members.everybody(inner)
    people = [{"id": member.user_id, "name": member.name, "email": member.email} for member in everybody]
    account = {**_with_wire_names(asdict(ctx.account)), "members": people}
    await part.add(f"{folder}/account.json", dumps_exact(account).encode())
    for table in rows.tables():
        if not await rows.is_empty(ctx, table):
            await part.add_stream(f"{folder}/data/{table.name}.json", rows.as_json(ctx, table))
            await part.add_stream(f"{folder}/data/{table.name}.csv", rows.as_csv(ctx, table))


async def _write_records(ctx: Context, part: PartWriter, after: str | None) -> str | None:
    """Write the invoice records and events of one year, as `GET /api/einvoice/export` gives them."""
    years = [year for year in await _years(ctx) if after is None or year > int(after)]
    if not years:
        return None
    exported = await export.export(ctx, ExportPeriod(date(years[0], 1, 1), date(years[0], 12, 31)), most=None)
    async for name, content in exported.files:
        await part.add(f"{_folder(ctx)}/records/{years[0]}/{name}", content)
    return str(years[0]) if years[1:] else None


async def _write_invoices(ctx: Context, part: PartWriter, after: str | None) -> str | None:
    """Write some issued invoices as PDF, with a note in the place of one that cannot be printed."""
    invoices = await _issued(ctx, after)
    for invoice in invoices:
        try:
            name, content = await printed_invoice.pdf(ctx, str(invoice.id))
        except (NotFound, Unavailable) as problem:
            if isinstance(problem, Unavailable):
                raise  # too many invoices wait to be printed: this part is tried again
            continue  # deleted meanwhile
        except Problem as problem:
            name, content = f"{invoice.id}.txt", f"{invoice.number}: {problem.detail}\n".encode()
        await part.add(f"{_folder(ctx)}/invoices/{name}", content)
    return str(invoices[-1].id) if len(invoices) == INVOICES_PER_PART else None


async def _write_files(ctx: Context, part: PartWriter, after: str | None) -> str | None:
    """Write the contents of some attachments, with a note in the place of one that is not in the store."""
    rows_after = await attachments.following(ctx, NO_ID if after is None else UUID(after), ATTACHMENTS_PER_PART)
    for row in rows_after:
        name = f"{_folder(ctx)}/attachments/{attachments.file_name(row)}"
        try:
            await part.add_stream(name, await attachments.pieces(ctx, row))
        except NotFound as problem:
            await part.add(f"{name}.txt", f"{problem.detail}\n".encode())
    return str(rows_after[-1].id) if len(rows_after) == ATTACHMENTS_PER_PART else None


_SECTIONS = {"data": _write_tables, "records": _write_records, "papers": _write_invoices, "files": _write_files}
"""Sections of an account; their names are stored with the position of an export."""

_ORDER = list(_SECTIONS)


async def _issued(ctx: Context, after: str | None) -> Sequence[NumberedInvoiceRow]:
    invoice = metadata.tables["invoice"].c
    later = invoice.id > (NO_ID if after is None else UUID(after))
    query = select(invoice.id, invoice.number).where(invoice.number.is_not(None), invoice.deleted_at.is_(None), later)
    statement = Prepared(query.order_by(invoice.id).limit(INVOICES_PER_PART), NumberedInvoiceRow)
    return await ctx.read(lambda inner: statement.rows(inner.db))


async def _years(ctx: Context) -> Sequence[int]:
    """Return every year from the first record or event to the last, in the account's time zone."""
    zone = ZoneInfo(ctx.account.time_zone)
    moments = [moment for table in ("fiscal_record", "fiscal_event") for moment in await _first_and_last(ctx, table)]
    years = [moment.astimezone(zone).year for moment in moments]
    return range(min(years), max(years) + 1) if years else ()


async def _first_and_last(ctx: Context, table: str) -> list[datetime]:
    generated_at = metadata.tables[table].c.generated_at
    query = select(func.min(generated_at).label("first"), func.max(generated_at).label("last"))
    statement = Prepared(query, PeriodRow)
    period = await ctx.read(lambda inner: statement.one(inner.db))
    return [moment for moment in (period.first, period.last) if moment is not None]


async def _owned(kernel: Kernel, user_id: UUID) -> Sequence[UUID]:
    account_ids = await identity_queries.look_up(kernel, lambda db: closure.owned(db, user_id))
    return [UUID(bytes=account_id.bytes) for account_id in account_ids]


async def _as_owner(kernel: Kernel, user: StoredUser, account_id: UUID) -> Context:
    """Return the context of the person as owner of an account; ownership is checked anew for every part."""
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


def _with_wire_names(values: Mapping[str, object]) -> dict[str, object]:
    return {to_camel(name): rows.plain(value) for name, value in values.items()}
