"""A declaration may be recorded as filed without a file, where that lacked data."""

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

NAME = "ck_tax_declaration_file_of_submitted"


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_constraint(op.f(NAME), "tax_declaration", type_="check")
    loose = "file_sha256 is null or (status = 'submitted' and origin = 'generated')"
    op.create_check_constraint(op.f(NAME), "tax_declaration", loose)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_constraint(op.f(NAME), "tax_declaration", type_="check")
    strict = "(file_sha256 is not null) = (status = 'submitted' and origin = 'generated')"
    op.create_check_constraint(op.f(NAME), "tax_declaration", strict)
