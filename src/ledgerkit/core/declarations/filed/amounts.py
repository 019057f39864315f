"""Amounts of documents in submitted declarations, stored at the submission and read by later declarations."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Numeric, Text, Uuid, any_, bindparam, cast, exists, func, insert, select, true

from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import filed_amount, tax_declaration, tax_declaration_content
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import FiledDocument, TaxPeriod

DocumentAmounts = Mapping[str, Mapping[str, Decimal]]
"""Amounts by document and box."""


class FiledAmountOfRow(Row):
    document_id: UUID
    box: str
    amount: Decimal


class FiledDocumentRow(Row):
    form: str
    year: int
    period: str
    amendment: int
    document_id: UUID
    boxes: Sequence[str]


_content, _filed, _of = tax_declaration_content.c, filed_amount.c, tax_declaration.c
_later = tax_declaration.alias("later")
_box = func.json_each(_content.evidence).table_valued("key", "value", name="box").lateral()
_part = func.json_each_text(_box.c.value).table_valued("key", "value", name="part").lateral()
_DECLARATION_ID = bindparam("declaration_id", type_=Uuid)
_KEEP = Prepared(
    insert(filed_amount).from_select(
        ["declaration_id", "document_id", "box", "amount"],
        select(_content.declaration_id, cast(_part.c.key, Uuid), _box.c.key, cast(_part.c.value, Numeric))
        .select_from(tax_declaration_content.join(_box, true()).join(_part, true()))
        .where(_content.declaration_id == _DECLARATION_ID),
    )
)
_AMOUNTS = Prepared(
    select(_filed.document_id, _filed.box, _filed.amount).where(_filed.declaration_id == _DECLARATION_ID),
    FiledAmountOfRow,
)
IS_LAST_SUBMITTED = ~exists().where(
    _later.c.account_id == _of.account_id,
    _later.c.country == _of.country,
    _later.c.form == _of.form,
    _later.c.year == _of.year,
    _later.c.period == _of.period,
    _later.c.amendment > _of.amendment,
    _later.c.status == "submitted",
)
"""Condition that no later amendment of a declaration has been submitted."""
_FILED = Prepared(
    select(
        _of.form,
        _of.year,
        _of.period,
        _of.amendment,
        _filed.document_id,
        func.array_agg(_filed.box).label("boxes"),
    )
    .select_from(filed_amount.join(tax_declaration, _of.id == _filed.declaration_id))
    .where(
        _of.country == bindparam("country", type_=Text),
        _of.form == any_(bindparam("forms", type_=ARRAY(Text))),
        _of.status == "submitted",
        _filed.document_id == any_(bindparam("document_ids", type_=ARRAY(Uuid))),
        IS_LAST_SUBMITTED,
    )
    .group_by(_of.id, _of.form, _of.year, _of.period, _of.amendment, _of.period_end, _filed.document_id)
    .order_by(_of.period_end, _of.form, _filed.document_id),
    FiledDocumentRow,
)


async def keep(ctx: Context, declaration_id: UUID) -> None:
    """Store the amounts of a declaration's evidence as filed."""
    await _KEEP.run(ctx.db, declaration_id=declaration_id)


async def of_declaration(ctx: Context, declaration_id: UUID) -> DocumentAmounts:
    """Return the amounts of documents in a submitted declaration."""
    amounts: defaultdict[str, dict[str, Decimal]] = defaultdict(dict)
    for row in await _AMOUNTS.rows(ctx.db, declaration_id=declaration_id):
        amounts[str(row.document_id)][row.box] = row.amount
    return amounts


async def of_documents(
    ctx: Context, of: FormPeriod, amendment: int, document_ids: Iterable[str]
) -> tuple[FiledDocument, ...]:
    """Return the periods in which documents have been filed, in a form or in those that it reads, the earliest first.

    The last submitted declaration of each period counts. A further `amendment` of a period is bound only by other
    periods.
    """
    forms = sorted({of.form.code, *of.form.reads})
    ids = [UUID(document_id) for document_id in document_ids]
    target = of.form.code, of.period.year, of.period.code
    return tuple(
        FiledDocument(
            form=row.form,
            period=TaxPeriod(row.year, row.period),
            document_id=str(row.document_id),
            boxes=frozenset(row.boxes),
        )
        for row in await _FILED.rows(ctx.db, country=of.provider.code, forms=forms, document_ids=ids)
        if (row.form, row.year, row.period) != target or row.amendment == amendment
    )
