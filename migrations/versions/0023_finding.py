"""Indexes for the filters of invoices, and the words of texts whose letters are plain to a search now."""

from typing import Any
from uuid import UUID

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.records.search import LETTERS, searchable, words

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

SEARCHED = ("catalog_item", "client", "expense", "invoice", "supplier_invoice", "vendor")
FILTERS = {"client": "client_id", "doc_type": "doc_type", "series": "series"}
LISTED = sa.text("deleted_at is null")
BATCH = 20
"""Rows in memory at a time: a text may have a million characters."""


KEEP = sa.text(
    "insert into search_word (account_id, kind, word, entity_id)"
    " select :account, :kind, word, :id from unnest(cast(:words as text[])) word on conflict do nothing"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_index("ix_invoice_client", table_name="invoice")
    for name, column in FILTERS.items():
        columns = ["account_id", column, "issue_date", "created_at", "id"]
        op.create_index(f"ix_invoice_{name}", "invoice", columns, unique=False, postgresql_where=LISTED)
    for table in SEARCHED:
        _make_plain(table)


def downgrade() -> None:
    """Plain texts stay plain: an earlier version finds them by plain letters only, until they are written again."""
    op.execute("set local lock_timeout = '5s'")
    for name in reversed(FILTERS):
        op.drop_index(f"ix_invoice_{name}", table_name="invoice", postgresql_where=LISTED)
    op.create_index("ix_invoice_client", "invoice", ["account_id", "client_id", "issue_date"], unique=False)


def _make_plain(table: str) -> None:
    """Rewrite every text of the table that holds one of the letters, and keep its new words beside the old ones."""
    record = sa.table(table, sa.column("account_id", sa.Uuid), sa.column("id", sa.Uuid), sa.column("search_text"))
    columns = (record.c.account_id, record.c.id)
    letters = f"[{''.join(map(chr, LETTERS))}]"
    affected = sa.select(record).where(record.c.search_text.op("~")(letters)).order_by(*columns).limit(BATCH)
    last = (UUID(int=0), UUID(int=0))
    while rows := op.get_bind().execute(affected.where(sa.tuple_(*columns) > last)).all():
        for row in rows:
            _rewrite(record, row)
        last = (rows[-1].account_id, rows[-1].id)


def _rewrite(record: sa.TableClause, row: sa.Row[Any]) -> None:
    text = searchable(row.search_text)
    mine = (record.c.account_id == row.account_id, record.c.id == row.id)
    op.get_bind().execute(sa.update(record).where(*mine).values(search_text=text))
    known = {"account": row.account_id, "kind": record.name, "id": row.id, "words": words(text)}
    op.get_bind().execute(KEEP, known)
