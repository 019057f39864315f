"""Lines say why they are not subject to the tax, what was paid for what they sell, and whose surcharge they bear."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

OF_LINES = '\'{"notSubjectReason": null, "purchaseCost": null, "surchargeByDefault": false}\''
OF_ROWS = '\'{"notSubjectReason": null, "untaxedAmount": null}\''

DECLARED = (
    "case when one ->> 'regimeKey' = '08' or (one ->> 'tax' = 'IGIC' and one ->> 'regimeKey' = '20')"
    " or (client ->> 'name' is not null and client ->> 'country' <> 'ES') then 'location_rules'"
    " when one ->> 'tax' is null then 'article_7' else 'other' end"
)
"""What records and paper said of lines that were not subject, while that was told by the client's country."""

ISSUED_IN_SPAIN = "status <> 'draft' and issuer ->> 'country' = 'ES'"


def _each(column: str, added: str, category: str) -> str:
    """The list in `column` with `added` to each of its objects; issued ones that are not subject say what was said."""
    declared = (
        f"case when {ISSUED_IN_SPAIN} and one ->> '{category}' = 'not_subject'"
        f" then jsonb_build_object('notSubjectReason', {DECLARED}) else '{{}}' end"
    )
    return (
        f"(select coalesce(json_agg(one::jsonb || {added} || {declared}), '[]')"  # noqa: S608 - ours
        f" from json_array_elements({column}) as one)"
    )


OF_REPLACED = _each("(replaced -> 'taxBreakdown')", OF_ROWS, "category")
SAYING = (
    f"update invoice set items = {_each('items', OF_LINES, 'taxCategory')},"  # noqa: S608 - ours
    f" tax_breakdown = {_each('tax_breakdown', OF_ROWS, 'category')},"
    " replaced = case when replaced is not null then (replaced::jsonb || jsonb_build_object('taxBreakdown',"
    f" {OF_REPLACED}))::json end"
)
SOLD = (
    f"update cash_movement set line_items = (select coalesce(json_agg(one::jsonb || {OF_LINES}), '[]')"  # noqa: S608 - ours
    " from json_array_elements(line_items) as one)"
)
SILENT = (
    "update invoice set items = (select coalesce(json_agg(one::jsonb - 'notSubjectReason' - 'purchaseCost'"
    " - 'surchargeByDefault'), '[]') from json_array_elements(items) as one),"
    " tax_breakdown = (select coalesce(json_agg(one::jsonb - 'notSubjectReason' - 'untaxedAmount'), '[]')"
    " from json_array_elements(tax_breakdown) as one)"
)


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    _execute(SOLD)
    _execute(SAYING)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    _execute(SILENT)


def _execute(statement: str) -> None:
    """Colons in it are JSON's and PostgreSQL's, not parameters."""
    op.execute(sa.text(statement.replace(":", r"\:")))
