"""The producer's statement about this software, stored for every version that was shown, and legal dates.

The law calls it a "declaración responsable"; the interface and the country's package use that name (`Declaration`).
"""

import hashlib
import json
from datetime import datetime
from html import escape

from sqlalchemy import LargeBinary, Text, bindparam, select
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit.core.einvoice.authority import channels, rejections
from ledgerkit.core.einvoice.certificates.api import (
    AnnouncementShown,
    DeclarationShown,
    DeclaredItem,
    FormerDay,
    ObligationShown,
)
from ledgerkit.core.einvoice.table import (
    STATEMENT,
    ProducerStatementRow,
    StatementItem,
    StoredStatement,
    fiscal_declaration,
)
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, NotFound
from ledgerkit.providers.api import Announcement, Declaration, Environment, FiscalChannel

_TABLE = fiscal_declaration.c


@operation(
    Permission.ACCOUNT,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED, Code.DECLARATION_INCOMPLETE}), (NotFound, {Code.NOT_FOUND})],
    effects=Effect.IDEMPOTENT,
)
async def declaration(ctx: Context, version: str | None = None) -> DeclarationShown:
    """Return the statement for the running version, or as it was last shown for another `version`.

    What is shown is stored and never deleted, except a specimen of the sandbox, which declares nothing.
    Raises Invalid DECLARATION_INCOMPLETE, naming the missing settings, EINVOICE_UNSUPPORTED; NotFound for a version
    whose statement was never shown.
    """
    channel = channels.required(ctx)
    if channel.declares is None:
        raise channels.unsupported(ctx)
    statement = channel.declares.declaration(Environment(ctx.settings.einvoice_env.value))
    if isinstance(statement, Declaration):
        if version in {None, statement.version}:
            return await _store_and_show(ctx, channel, statement)
    elif version is None:
        raise Invalid(
            EInvoiceMsg.PRODUCER_NOT_CONFIGURED,
            code=Code.DECLARATION_INCOMPLETE,
            errors=[rejections.field_error(problem) for problem in statement],
            unset=", ".join(problem.field for problem in statement),
        )
    return await _show_stored(ctx, channel, version or "")


def obligations(channel: FiscalChannel | None) -> list[ObligationShown]:
    """Return the taxpayers whom the law obliges, and since which day; none where the country names none."""
    if channel is None or channel.declares is None:
        return []
    return [
        ObligationShown(
            who=obligation.who,
            since=obligation.since,
            source=obligation.source,
            former=[FormerDay(since=day.since, source=day.source) for day in obligation.former],
            announced=obligation.announced and obligation.announced.text,
            announcement=obligation.announced and _announcement(obligation.announced),
        )
        for obligation in channel.declares.obligations()
    ]


def _announcement(announced: Announcement) -> AnnouncementShown:
    return AnnouncementShown(
        since=announced.since,
        source=announced.source,
        announced_on=announced.announced_on,
        enacted=announced.enacted,
    )


def as_text(statement: DeclarationShown) -> str:
    """Return the statement as plain text: the law's text of each item, then the producer's answer."""
    parts = [statement.title, *([statement.notice] if statement.notice else [])]
    parts += [f"{item.key}) {item.text}:\n{item.value}" for item in (*statement.items, *statement.annex)]
    return "\n\n".join(parts) + "\n"


def as_html(statement: DeclarationShown) -> str:
    """Return the statement as an HTML page that loads nothing."""
    rows = "".join(
        f"<dt>{escape(item.key)}) {escape(item.text)}</dt><dd>{escape(item.value)}</dd>"
        for item in (*statement.items, *statement.annex)
    )
    notice = f'<p role="alert"><strong>{escape(statement.notice)}</strong></p>' if statement.notice else ""
    return (
        f'<!DOCTYPE html><html lang="{escape(statement.language)}"><head><meta charset="utf-8">'
        f"<title>{escape(statement.title)}</title></head>"
        f"<body><h1>{escape(statement.title)}</h1>{notice}<dl>{rows}</dl></body></html>"
    )


async def _store_and_show(ctx: Context, channel: FiscalChannel, statement: Declaration) -> DeclarationShown:
    content = _stored_statement(statement)
    digest = _digest(content)
    if statement.notice is not None:
        return _shown(content, digest, None)
    key = {"channel": channel.id, "version": statement.version, "digest": digest}
    new_row = upsert(fiscal_declaration).values({**key, "content": STATEMENT.encode(content)})
    await ctx.db.execute(new_row.on_conflict_do_nothing())
    return _shown(content, digest, (await _RENDERED_AT.one(ctx.db, **key)).rendered_at)


class _RenderedAtRow(Row):
    rendered_at: datetime


_RENDERED_AT = Prepared(
    select(_TABLE.rendered_at).where(
        _TABLE.channel == bindparam("channel", type_=Text),
        _TABLE.version == bindparam("version", type_=Text),
        _TABLE.digest == bindparam("digest", type_=LargeBinary),
    ),
    _RenderedAtRow,
)


async def _show_stored(ctx: Context, channel: FiscalChannel, version: str) -> DeclarationShown:
    row = await _LATEST.row(ctx.db, channel=channel.id, version=version)
    if row is None:
        query = select(_TABLE.version).where(_TABLE.channel == channel.id).distinct().order_by(_TABLE.version)
        versions = ", ".join((await ctx.db.execute(query)).scalars())
        raise NotFound(
            EInvoiceMsg.STATEMENT_OF_VERSION_UNKNOWN, version=version, versions=versions or EInvoiceMsg.NO_STATEMENTS
        )
    return _shown(STATEMENT.decode(row.content), row.digest, row.rendered_at)


_LATEST = Prepared(
    select(fiscal_declaration)
    .where(
        _TABLE.channel == bindparam("channel", type_=Text),
        _TABLE.version == bindparam("version", type_=Text),
    )
    .order_by(_TABLE.rendered_at.desc(), _TABLE.digest)
    .limit(1),
    ProducerStatementRow,
)


def _stored_statement(statement: Declaration) -> StoredStatement:
    return StoredStatement(
        title=statement.title,
        version=statement.version,
        language=statement.language,
        notice=statement.notice,
        items=tuple(StatementItem(key=item.key, text=item.text, value=item.value) for item in statement.items),
        annex=tuple(StatementItem(key=item.key, text=item.text, value=item.value) for item in statement.annex),
    )


def _digest(content: StoredStatement) -> bytes:
    plain = STATEMENT.encode(content)
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()).digest()


def _shown(content: StoredStatement, digest: bytes, rendered_at: datetime | None) -> DeclarationShown:
    return DeclarationShown(
        title=content.title,
        version=content.version,
        language=content.language,
        notice=content.notice,
        items=[DeclaredItem(key=item.key, text=item.text, value=item.value) for item in content.items],
        annex=[DeclaredItem(key=item.key, text=item.text, value=item.value) for item in content.annex],
        digest=digest.hex(),
        rendered_at=rendered_at,
    )
