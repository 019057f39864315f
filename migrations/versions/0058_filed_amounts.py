"""Amounts of documents in the boxes of submitted declarations; of those that are there already, from their evidence."""

import sqlalchemy as sa
from alembic import op

from ledgerkit.core.database.tenancy import erasure_statements, policy_statements

revision = "0058"
down_revision = "0056"
branch_labels = None
depends_on = None

FILED_SO_FAR = """
insert into filed_amount (account_id, declaration_id, document_id, box, amount)
select d.account_id, d.id, part.key::uuid, box.key, part.value::numeric
from tax_declaration d
join tax_declaration_content c on c.account_id = d.account_id and c.declaration_id = d.id
cross join lateral json_each(c.evidence) as box
cross join lateral json_each_text(box.value) as part
where d.status = 'submitted'
"""


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.create_table(
        "filed_amount",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("declaration_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("box", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "declaration_id"],
            ["tax_declaration.account_id", "tax_declaration.id"],
            name=op.f("fk_filed_amount_account_id_declaration_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "declaration_id", "document_id", "box", name=op.f("pk_filed_amount")),
        info={"scope": "erasable_log"},
    )
    op.create_index("ix_filed_amount_document", "filed_amount", ["account_id", "document_id"])
    op.execute(FILED_SO_FAR)
    for statement in (*policy_statements("filed_amount", "erasable_log"), *erasure_statements("filed_amount")):
        op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("filed_amount")
