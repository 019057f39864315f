"""Catalog items, the ledger of their stock, and the supplier invoices that were taken in."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ledgerkit.core.database.tenancy import policy_statements

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


SCOPES = {"catalog_item": "account", "stock_movement": "append_only", "catalog_import": "account"}


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    _create_items()
    _create_movements()
    _create_imports()
    for table, scope in SCOPES.items():
        for statement in policy_statements(table, scope):
            op.execute(statement)


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    op.drop_table("catalog_import")
    op.drop_index("ix_stock_movement_item", table_name="stock_movement")
    op.drop_index("ix_stock_movement_cause", table_name="stock_movement")
    op.drop_table("stock_movement")
    op.drop_index("ix_catalog_item_type", table_name="catalog_item", postgresql_where=sa.text("is_active"))
    op.drop_index("ix_catalog_item_sku", table_name="catalog_item", postgresql_where=sa.text("sku_key is not null"))
    op.drop_index("ix_catalog_item_low", table_name="catalog_item", postgresql_where=sa.text("is_active and is_low"))
    op.drop_index("ix_catalog_item_listed", table_name="catalog_item", postgresql_where=sa.text("is_active"))
    op.drop_index("ix_catalog_item_category", table_name="catalog_item", postgresql_where=sa.text("is_active"))
    op.drop_index("ix_catalog_item_all", table_name="catalog_item")
    op.drop_table("catalog_item")


def _create_items() -> None:
    op.create_table(
        "catalog_item",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=True),
        sa.Column("barcode", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column("unit_price", sa.Numeric(precision=12, scale=4), nullable=False),
        sa.Column("cost", sa.Numeric(precision=12, scale=4), nullable=True),
        sa.Column("tax_rate", sa.Numeric(precision=6, scale=3), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("stock", sa.Numeric(precision=15, scale=4), nullable=True),
        sa.Column("low_stock_threshold", sa.Numeric(precision=11, scale=4), nullable=True),
        sa.Column("variants", postgresql.JSON(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("is_low", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("sku_key", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.CheckConstraint("type in ('product', 'service')", name=op.f("ck_catalog_item_type")),
        sa.CheckConstraint("type = 'product' or stock is null", name=op.f("ck_catalog_item_services_have_no_stock")),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_catalog_item")),
        info={"scope": "account"},
    )
    active = sa.text("is_active")
    _index("ix_catalog_item_all", ["account_id", "name_key", "id"])
    _index("ix_catalog_item_category", ["account_id", "category"], active)
    _index("ix_catalog_item_listed", ["account_id", "name_key", "id"], active)
    _index("ix_catalog_item_low", ["account_id", "name_key", "id"], sa.text("is_active and is_low"))
    _index("ix_catalog_item_sku", ["account_id", "sku_key"], sa.text("sku_key is not null"))
    _index("ix_catalog_item_type", ["account_id", "type", "name_key", "id"], active)


def _index(name: str, columns: list[str], where: sa.TextClause | None = None) -> None:
    op.create_index(name, "catalog_item", columns, unique=False, postgresql_where=where)


def _create_movements() -> None:
    op.create_table(
        "stock_movement",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("variant_index", sa.Integer(), nullable=True),
        sa.Column("quantity", sa.Numeric(precision=15, scale=4), nullable=False),
        sa.Column("stock_after", sa.Numeric(precision=15, scale=4), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("entity_type", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "item_id"],
            ["catalog_item.account_id", "catalog_item.id"],
            name=op.f("fk_stock_movement_account_id_item_id"),
        ),
        sa.PrimaryKeyConstraint("account_id", "id", name=op.f("pk_stock_movement")),
        info={"scope": "append_only"},
    )
    op.create_index("ix_stock_movement_cause", "stock_movement", ["account_id", "entity_id", "item_id"], unique=False)
    op.create_index("ix_stock_movement_item", "stock_movement", ["account_id", "item_id", "id"], unique=False)


def _create_imports() -> None:
    op.create_table(
        "catalog_import",
        sa.Column(
            "account_id",
            sa.Uuid(),
            server_default=sa.text("current_setting('ledgerkit.account_id')::uuid"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "hash", name=op.f("pk_catalog_import")),
        info={"scope": "account"},
    )
