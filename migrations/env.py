"""Alembic's entry: runs on the connection it is given (ledgerkit.core.platform.database.migrations)."""

from alembic import context

from ledgerkit.core.operation.installation.database.all_tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    compare_type=True,
    compare_server_default=False,
    autogenerate_plugins=["alembic.autogenerate.*", "~alembic.autogenerate.comments"],  # written at each start
)
with context.begin_transaction():
    context.run_migrations()
