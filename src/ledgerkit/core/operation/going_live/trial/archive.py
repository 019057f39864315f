"""A trial's way into its archive: every table of the account stays, is copied, is set aside, or is split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Table
from sqlalchemy import text as sql

from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.einvoice.chain import trials as chains
from ledgerkit.core.einvoice.issuance.seals import TRANSMIT
from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.store import account as attachments
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.changes import by_others as invoices
from ledgerkit.core.sales.invoices.changes.by_others import COUNTER_OF_CHANGES
from ledgerkit.core.sales.invoices.mail.delivery import MAIL_INVOICE
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Unavailable

_SET_ASIDE = sql("select set_trial_aside(:archive, cast(:parts as jsonb))")

STAYING: Mapping[str, str] = {
    "ai_action": "what was spent of the account's AI actions",
    "ai_balance": "the balance of AI actions",
    "ai_pack": "AI actions that were bought",
    "approval": "proposals; one about what is set aside cannot be approved any more",
    "approval_policy": "where a person is asked",
    "attachment_removal": "contents that are being removed from the store",
    "attachment_usage": "sum of the sizes of attachments; counted anew",
    "business_context": "notes for assistants",
    "context_entry": "notes for assistants",
    "fiscal_certificate": "the account's certificate, which opens in its own account only",
    "idempotency_key": "answers about documents that are set aside are deleted",
    "mail_count": "the mails of the day",
    "task": "work is real whatever was billed for it; an invoice is forgotten",
    "task_board": "a lock",
}
"""Tables that stay as they are and that no document refers to, each with its content."""

COPIED = {"catalog_item", "client", "tax_profile", "vendor"}
"""Tables that stay, and that the archive holds a copy of: its documents refer to them."""

PURCHASES = {"catalog_import", "expense", "expense_vendor", "supplier_invoice", "supplier_payment", "vendor_payable"}
"""Tables of purchases, which are archived unless they are real."""

MOVED = {
    "activity",
    "cash_movement",
    "cash_register",
    "cash_register_counter",
    "filed_amount",
    "invoice",
    "invoice_counter",
    "invoice_payment",
    "mail_log",
    "tax_declaration",
    "tax_declaration_content",
}
"""Tables of the trial. Those of fiscal records are too (`_FISCAL`)."""

_FISCAL = "fiscal_"
"""Beginning of the names of the tables of chains, records and events."""

SPLIT = {"attachment": "document_kind", "search_word": "kind", "stock_movement": "entity_type", "tally": "kind"}
"""Tables of which some rows are the trial's, with the column that tells them apart."""

SALE_CAUSES = ("invoice", "cash_movement")
"""Causes of stock movements that are sales."""

_OF_PURCHASES = {DocumentType.EXPENSE, DocumentType.SUPPLIER_INVOICE, DocumentType.SUPPLIER_PAYMENT}
_COUNTS_THAT_STAY = rf"catalog|task|vendor$|{COUNTER_OF_CHANGES.replace('.', '[.]')}$"
"""Kinds of counters that stay. That of the changes of invoices only grows: kept pages are known by it."""


@dataclass(frozen=True)
class TablePart:
    """A table's part in going live. With `column`, the rows whose column matches `pattern` are the trial's.

    `copies_all`: the archive gets all rows of the table and not those of the trial only. `moves`: the trial's leave.
    """

    table: str
    moves: bool
    column: str | None = None
    pattern: str | None = None
    copies_all: bool = True

    def as_json(self) -> dict[str, object]:
        """Return the form in which the database's function takes it (`set_trial_aside`)."""
        return {
            "table": self.table,
            "moves": self.moves,
            "column": self.column,
            "pattern": self.pattern,
            "copiesAll": self.copies_all,
        }


def parts(*, keep_purchases: bool) -> list[TablePart]:
    """Return the parts of all tables that going live touches; tables that others refer to come first."""
    return [part for table in _tables() if (part := _part(table, keep_purchases=keep_purchases)) is not None]


def document_kinds(*, keep_purchases: bool) -> list[DocumentType]:
    """Return the kinds of documents that are set aside with their attachments."""
    return [DocumentType.INVOICE, *([] if keep_purchases else sorted(_OF_PURCHASES))]


def unsorted() -> list[str]:
    """Return the names of the tables of accounts that nobody has said anything about."""
    sorted_tables = STAYING.keys() | COPIED | PURCHASES | MOVED | SPLIT.keys()
    return [table.name for table in _tables() if table.name not in sorted_tables and not table.name.startswith(_FISCAL)]


def _tables() -> Sequence[Table]:
    return [table for table in metadata.sorted_tables if not is_shared(scope_of(table))]


def _part(table: Table, *, keep_purchases: bool) -> TablePart | None:
    name = table.name
    if name in STAYING or (keep_purchases and name in PURCHASES):
        return None
    if name in SPLIT:
        pattern = _patterns(keep_purchases=keep_purchases)[name]
        return TablePart(name, moves=True, column=SPLIT[name], pattern=pattern, copies_all=name != "attachment")
    return TablePart(name, moves=name not in COPIED)


def _patterns(*, keep_purchases: bool) -> Mapping[str, str]:
    moved = MOVED if keep_purchases else MOVED | PURCHASES
    searched = sorted(table.name for table in _tables() if "search_text" in table.c and table.name in moved)
    staying_counts = f"{_COUNTS_THAT_STAY}|expense|supplier_" if keep_purchases else _COUNTS_THAT_STAY
    return {
        "attachment": _one_of(document_kinds(keep_purchases=keep_purchases)),
        "search_word": _one_of(searched),
        "stock_movement": _one_of(SALE_CAUSES),
        "tally": f"^(?!{staying_counts})",
    }


def _one_of(words: Sequence[str]) -> str:
    return f"^({'|'.join(words)})$"


async def set_aside(ctx: Context, archive_id: UUID, *, keep_purchases: bool) -> None:
    """Move the trial of the account, whose profile is locked, into its archive, and note that it is live.

    Raises Unavailable SERVER_BUSY while a message to the authority is under way.
    """
    if not await chains.close_all(ctx):
        raise Unavailable(GoingLiveMsg.BUSY, code=Code.SERVER_BUSY, headers={"Retry-After": "5"})
    await _end_what_refers_to_it(ctx, archive_id)
    await _move(ctx, parts(keep_purchases=keep_purchases), archive_id)
    await chains.hand_over(ctx, archive_id)
    await attachments.recount(ctx, archive_id)
    await invoices.count_change(ctx)
    await trials.go_live(ctx.db, ctx.account.id, archive_id)
    changes = {"archive": (None, str(archive_id)), "keepPurchases": (None, keep_purchases)}
    await activity.record(ctx, "went_live", ("team", ctx.account.id), ctx.account.name, changes)


async def _end_what_refers_to_it(ctx: Context, archive_id: UUID) -> None:
    """End public links, mails that wait, and stored answers; give back the stock that was sold."""
    await public_links.revoke_all(ctx.db, ctx.account.id)
    await jobs.drop(ctx, [MAIL_INVOICE, TRANSMIT])
    await tasks.forget_invoices(ctx)
    await idempotency.forget_answers(ctx.db)
    await stock.take_back(ctx, SALE_CAUSES, Cause("voided", "invoice", archive_id, None))


async def _move(ctx: Context, touched: Sequence[TablePart], archive_id: UUID) -> None:
    described = dumps_exact([part.as_json() for part in touched])
    await driver(ctx.db).execute("set local statement_timeout = 0")
    await ctx.db.execute(_SET_ASIDE, {"archive": archive_id, "parts": described})
