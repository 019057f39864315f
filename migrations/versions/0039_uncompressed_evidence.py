"""Documents and evidence of declarations uncompressed: to compress megabytes of ids takes longer than to store them.

Rows that are there stay as they are until they are computed again.
"""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_COLUMNS = ("documents", "evidence")


def upgrade() -> None:
    _store("external")


def downgrade() -> None:
    _store("extended")


def _store(storage: str) -> None:
    op.execute("set local lock_timeout = '5s'")
    for column in _COLUMNS:
        op.execute(f"alter table tax_declaration_content alter column {column} set storage {storage}")
