"""Kinds of documents that files are attached to. The domain of a kind declares it and imports this one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Table, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.database.ids import as_id, missing
from ledgerkit.core.platform.database.row_types import AppendOnlyRow, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import TypedTable
from ledgerkit.core.platform.database.tenancy import scope_of
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission

YEARS_KEPT = 6
"""Years for which supporting documents are kept after the year of their entry.

Source: Código de Comercio art. 30.1, which includes the four years of Ley 58/2003 General Tributaria arts. 66 and 70.
"""

_LINK = re.compile(r"/api/attachments/([0-9a-f-]{36})/content")
LINK = "/api/attachments/{id}/content"


@dataclass(frozen=True)
class Document:
    """The document that a file belongs to."""

    type: DocumentType
    id: str


def _nobody_else(_ctx: Context, _row: AppendOnlyRow) -> None:
    """Ask for nothing beyond the permission."""


@dataclass(frozen=True, kw_only=True)
class DocumentKind:
    """One kind of documents: its table, who may read and change them, and for how long the law requires their files.

    `link` is the column that shows the path of the first attachment if the caller gave no link. `last_day` returns the
    last day on which the books mention a row, or None if no law requires its files. `check_change` raises Forbidden
    when the caller may not change this row.
    """

    type: DocumentType
    table: TypedTable[Any]
    what: str
    read: Permission
    write: Permission
    link: str | None
    last_day: Callable[[Any], date | None]
    check_change: Callable[[Context, Any], None] = _nobody_else

    def kept_until(self, row: AppendOnlyRow) -> date | None:
        """Return the last day on which the law requires the files of a document; None if it requires none."""
        day = self.last_day(row)
        return None if day is None else date(day.year + YEARS_KEPT, 12, 31)


_KINDS: dict[DocumentType, DocumentKind] = {}


def declare(kind: DocumentKind) -> DocumentKind:
    """Let files be attached to documents of this kind."""
    assert kind.type not in _KINDS, kind.type  # noqa: S101 - ours: a type is one table's
    _KINDS[kind.type] = kind
    return kind


def kind_of(document_type: str) -> DocumentKind:
    return _KINDS[DocumentType(document_type)]


async def locked(ctx: Context, kind: DocumentKind, document_id: str) -> AppendOnlyRow:
    """Return the row of a document, locked unless it can never change. Raises NotFound.

    The version in If-Match is not compared, because it belongs to the attachment.
    """
    if scope_of(kind.table) == "append_only":
        row: AppendOnlyRow = await records.fetch(ctx, kind.table, document_id, kind.what)
        return row
    locked_row = await _lock(kind.table).row(ctx.db, document_id=as_id(document_id, kind.what))
    if locked_row is None:
        raise missing(kind.what, document_id)
    return locked_row


def _lock(table: Table) -> Prepared[AppendOnlyRow]:
    if table.name not in _LOCKS:
        query = select(table).where(table.c.id == bindparam("document_id", type_=table.c.id.type))
        if "deleted_at" in table.c:
            query = query.where(table.c.deleted_at.is_(None))
        _LOCKS[table.name] = Prepared(query.with_for_update(), AppendOnlyRow)
    return _LOCKS[table.name]


_LOCKS: dict[str, Prepared[AppendOnlyRow]] = {}


async def show_link(ctx: Context, kind: DocumentKind, row: AppendOnlyRow, link: str | None, before: str | None) -> None:
    """Set the document's link to `link` if it is `before` now. A link that a caller gave stays."""
    if kind.link is not None and getattr(row, kind.link) == before and link != before:
        shown: Values[Any] = Values.named(kind.table.info["row"], {kind.link: link})
        await records.change(ctx, kind.table, row.id, shown)


def link_of(attachment_id: UUID) -> str:
    """Return the path of an attachment's content."""
    return LINK.format(id=attachment_id)


def id_in(link: str | None) -> str | None:
    """Return the id of the attachment that a link of ours names; None for any other link."""
    match = _LINK.fullmatch(link or "")
    return match[1] if match else None
