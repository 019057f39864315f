"""The database says what its tables and columns mean, in the words of the row types."""

from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.platform.database.comments import write_comments
from ledgerkit.core.platform.database.statements import driver
from support.database import as_owner

STORED = """
select c.relname, a.attname, col_description(c.oid, a.attnum), obj_description(c.oid)
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'alembic_version'
"""
SENTENCES = {
    (table.name, column.name, column.comment, table.comment)
    for table in metadata.sorted_tables
    for column in table.columns
}


async def test_every_table_and_column_of_a_database_has_the_sentence_of_its_row_type(kernel):
    async with as_owner(kernel) as db:
        found = {tuple(row) for row in await driver(db).fetch(STORED)}

    assert found == SENTENCES


async def test_a_comment_that_differs_is_written_anew(kernel):
    async with as_owner(kernel) as db:
        owner = driver(db)
        await owner.execute("comment on column task.title is 'Something else.'")
        await owner.execute("comment on table task is null")
        await write_comments(owner, metadata.sorted_tables)
        found = {tuple(row) for row in await owner.fetch(STORED)}

    assert found == SENTENCES


def test_every_sentence_is_one():
    sentences = {f"{table}.{column}": text for table, column, text, _ in SENTENCES}
    sentences |= {table: text for table, _, _, text in SENTENCES}

    assert [name for name, text in sentences.items() if not (text and text[0].isupper() and text.endswith("."))] == []
