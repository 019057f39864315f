"""Authorization server: clients, authorization requests, browser logins, grants, codes and tokens."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

TABLES = ("oauth_client", "oauth_request", "oauth_login", "oauth_grant", "oauth_code", "oauth_token")


def text(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.Text(), nullable=nullable)


def moment(name: str, *, nullable: bool = False, now: bool = False) -> sa.Column:
    default = sa.text("now()") if now else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=nullable)


def texts(name: str) -> sa.Column:
    return sa.Column(name, postgresql.ARRAY(sa.Text()), nullable=False)


def uuid(name: str) -> sa.Column:
    return sa.Column(name, sa.Uuid(), nullable=False)


def primary_key(table: str, column: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(column, name=op.f(f"pk_{table}"))


def of_grant(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_grant_id")
    return sa.ForeignKeyConstraint(["grant_id"], ["oauth_grant.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    create_clients()
    create_requests()
    create_logins()
    create_grants()
    create_codes()
    create_tokens()


def create_clients() -> None:
    op.create_table(
        "oauth_client",
        text("client_id"),
        text("secret_hash", nullable=True),
        sa.Column("metadata", postgresql.JSONB(), nullable=False),
        moment("created_at", now=True),
        moment("expires_at"),
        primary_key("oauth_client", "client_id"),
    )


def create_requests() -> None:
    op.create_table(
        "oauth_request",
        text("id_hash"),
        text("client_id"),
        text("client_name"),
        text("redirect_uri"),
        text("state", nullable=True),
        text("code_challenge"),
        texts("scopes"),
        text("resource"),
        moment("expires_at"),
        primary_key("oauth_request", "id_hash"),
    )
    op.create_index("ix_oauth_request_expires_at", "oauth_request", ["expires_at"])


def create_logins() -> None:
    user = op.f("fk_oauth_login_user_id")
    op.create_table(
        "oauth_login",
        text("session_hash"),
        uuid("user_id"),
        sa.Column("user_version", sa.Integer(), nullable=False),
        moment("expires_at"),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=user, ondelete="CASCADE"),
        primary_key("oauth_login", "session_hash"),
    )
    op.create_index("ix_oauth_login_user", "oauth_login", ["user_id"])


def create_grants() -> None:
    op.create_table(
        "oauth_grant",
        uuid("id"),
        text("client_id"),
        text("client_name"),
        uuid("user_id"),
        uuid("account_id"),
        sa.Column("user_version", sa.Integer(), nullable=False),
        texts("scopes"),
        text("resource"),
        moment("created_at", now=True),
        moment("last_used_at", nullable=True),
        moment("expires_at"),
        sa.ForeignKeyConstraint(
            ["account_id", "user_id"],
            ["membership.account_id", "membership.user_id"],
            name=op.f("fk_oauth_grant_account_id_user_id"),
            ondelete="CASCADE",
        ),
        primary_key("oauth_grant", "id"),
    )
    op.create_index("ix_oauth_grant_member", "oauth_grant", ["account_id", "user_id"])
    op.create_index("ix_oauth_grant_user", "oauth_grant", ["user_id"])


def create_codes() -> None:
    op.create_table(
        "oauth_code",
        text("code_hash"),
        uuid("grant_id"),
        text("redirect_uri"),
        text("code_challenge"),
        moment("expires_at"),
        moment("used_at", nullable=True),
        of_grant("oauth_code"),
        primary_key("oauth_code", "code_hash"),
    )
    op.create_index("ix_oauth_code_grant", "oauth_code", ["grant_id"])


def create_tokens() -> None:
    op.create_table(
        "oauth_token",
        text("token_hash"),
        text("kind"),
        uuid("grant_id"),
        texts("scopes"),
        moment("expires_at"),
        moment("used_at", nullable=True),
        of_grant("oauth_token"),
        primary_key("oauth_token", "token_hash"),
    )
    op.create_index("ix_oauth_token_grant", "oauth_token", ["grant_id"])
    op.create_index("ix_oauth_token_expires_at", "oauth_token", ["expires_at"])


def downgrade() -> None:
    op.execute("set local lock_timeout = '5s'")
    for table in reversed(TABLES):
        op.drop_table(table)
