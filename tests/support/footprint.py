"""Everything that a server has stored: each row of each table, sequences, and every file of its data directory."""

from hashlib import sha256
from pathlib import Path

from sqlalchemy import text

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.request.context import Kernel
from support.database import as_owner

Footprint = dict[str, str]

_ROWS = (
    "select '{0}' as name, coalesce(md5(string_agg(row::text, chr(10) order by row::text)), '') as digest from {0} row"
)
_SEQUENCES = "select 'sequences', coalesce(string_agg(one::text, chr(10) order by one::text), '') from pg_sequences one"


async def footprint(kernel: Kernel) -> Footprint:
    """Digests of all rows by table, and of all files by path; those of the database's own server are left out."""
    statement = " union all ".join([*(_ROWS.format(table) for table in sorted(metadata.tables)), _SEQUENCES])
    async with as_owner(kernel) as connection:
        result = await connection.execute(text(statement))
        rows = {row.name: row.digest for row in result}
    return rows | _files(kernel.settings.data_dir)


def _files(folder: Path) -> Footprint:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "postgres" not in path.parts)
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


def changed(before: Footprint, after: Footprint) -> set[str]:
    """Names of the tables and files that are not as they were."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
