"""Drafts may leave their dates open until they are issued.

Dates of the drafts that there are count as stated: nobody knows any more which of them were.
"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

_CHECKS = {
    "dated_when_issued": "issue_date is not null or status = 'draft'",
    "due_or_term": "(due_date is null) = (term_days is not null)",
    "due_when_issued": "due_date is not null or status = 'draft'",
}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.add_column("invoice", sa.Column("term_days", sa.Integer(), nullable=True))
    op.alter_column("invoice", "issue_date", nullable=True)
    op.alter_column("invoice", "due_date", nullable=True)
    for name, condition in _CHECKS.items():
        op.execute(f"alter table invoice add constraint ck_invoice_{name} check ({condition}) not valid")
        op.execute(f"alter table invoice validate constraint ck_invoice_{name}")


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for name in _CHECKS:
        op.drop_constraint(f"ck_invoice_{name}", "invoice")
    op.execute("update invoice set issue_date = current_date where issue_date is null")
    op.execute("update invoice set due_date = issue_date + term_days where due_date is null")
    op.alter_column("invoice", "due_date", nullable=False)
    op.alter_column("invoice", "issue_date", nullable=False)
    op.drop_column("invoice", "term_days")
