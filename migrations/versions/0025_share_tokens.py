"""Tokens of public links are not stored any more: a seed of each, and the hash of those that people have already."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Links go on working; what an invoice shows from now on is a second one, of its seed (core/invoices/links)."""
    op.execute("set local lock_timeout = '5s'")
    op.add_column("share_link", sa.Column("seed", sa.LargeBinary(), nullable=True))
    op.add_column("share_link", sa.Column("earlier_hash", sa.LargeBinary(), nullable=True))
    op.add_column("invoice", sa.Column("share_seed", sa.LargeBinary(), nullable=True))
    op.drop_constraint("pk_share_link", "share_link", type_="primary")
    op.alter_column("share_link", "token", nullable=True)
    # A column that is dropped leaves its values on the disk until their rows are written anew.
    op.execute(
        "update share_link set seed = uuid_send(gen_random_uuid()),"
        " earlier_hash = sha256(convert_to(token, 'UTF8')), token = null"
    )
    op.execute(
        "update invoice i set share_seed = l.seed, share_token = null, version = i.version + 1"
        " from share_link l where l.account_id = i.account_id and l.invoice_id = i.id"
    )
    op.drop_column("share_link", "token")
    op.drop_column("invoice", "share_token")
    op.create_primary_key(op.f("pk_share_link"), "share_link", ["seed"])
    op.create_unique_constraint(op.f("uq_share_link_earlier_hash"), "share_link", ["earlier_hash"])


def downgrade() -> None:
    """Ends all public links: their tokens can only be made with the server's secret key."""
    op.execute("set local lock_timeout = '5s'")
    op.execute("delete from share_link")
    op.execute("update invoice set version = version + 1 where share_seed is not null")
    op.drop_constraint("uq_share_link_earlier_hash", "share_link", type_="unique")
    op.drop_constraint("pk_share_link", "share_link", type_="primary")
    for name in ("seed", "earlier_hash"):
        op.drop_column("share_link", name)
    op.drop_column("invoice", "share_seed")
    op.add_column("invoice", sa.Column("share_token", sa.Text(), nullable=True))
    op.add_column("share_link", sa.Column("token", sa.Text(), nullable=False))
    op.create_primary_key(op.f("pk_share_link"), "share_link", ["token"])
