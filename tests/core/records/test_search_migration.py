"""Texts written before the search folded accents are found by plain letters after the migration, in every account."""

from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import text

from support.migrating import add_account, at_revision, move

BEFORE = "0017"
ANA, BERTA = UUID(int=1), UUID(int=2)
MANY = 45
"""Records of one account: more than the migration keeps in memory at a time."""


@pytest.fixture
async def connection(postgres):
    """To a database of its own, with the tables as they were before, and vendors in two accounts."""
    async with at_revision(postgres, BEFORE) as connection:
        yield connection


async def add_vendor(connection, account: UUID, folded: str) -> UUID:
    """A vendor as an earlier version kept it: its text with the letters in it, and its words."""
    known = {"account": account, "id": uuid4(), "folded": folded, "words": folded.split()}
    await connection.execute(
        text(
            "insert into vendor (account_id, id, name, name_key, country, search_text)"
            " values (:account, :id, :folded, :folded, 'ES', :folded)"
        ),
        known,
    )
    await connection.execute(
        text(
            "insert into search_word (account_id, kind, word, entity_id)"
            " select :account, 'vendor', word, :id from unnest(cast(:words as text[])) word"
        ),
        known,
    )
    return known["id"]


async def found_by(connection, word: str) -> set[tuple[UUID, UUID]]:
    query = text("select account_id, entity_id from search_word where kind = 'vendor' and word = :word")
    return {tuple(row) for row in await connection.execute(query, {"word": word})}


async def texts(connection) -> set[str]:
    return set((await connection.execute(text("select search_text from vendor"))).scalars())


async def test_texts_with_such_letters_are_found_by_plain_ones(connection):
    for account in (ANA, BERTA):
        await add_account(connection, account)
    many = {(ANA, await add_vendor(connection, ANA, f"łodz smørre {number}")) for number in range(MANY)}
    other = await add_vendor(connection, BERTA, "œuvre łodz")
    plain = await add_vendor(connection, BERTA, "norte")
    await connection.commit()

    await move(connection, command.upgrade, "0023")

    assert await found_by(connection, "lodz") == {*many, (BERTA, other)}
    assert await found_by(connection, "smorre") == many
    assert await found_by(connection, "oeuvre") == {(BERTA, other)}
    assert await found_by(connection, "norte") == {(BERTA, plain)}
    assert not [one for one in await texts(connection) if set(one) & set("łøœ")]


async def test_the_step_can_be_taken_back_and_again(connection):
    await move(connection, command.upgrade, "0023")
    await move(connection, command.downgrade, BEFORE)

    await move(connection, command.upgrade, "0023")

    found = await connection.execute(text("select indexdef from pg_indexes where indexname = 'ix_invoice_client'"))
    assert "created_at" in found.scalar_one()
