"""Tokens of public pages: absent from the database, and tokens of earlier versions still valid."""

from base64 import urlsafe_b64decode
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit.core.sales.invoices.link_tokens import tokens
from support.database import as_owner, everything_stored

SECRET = b"k" * 32
ANA, BERTA = UUID(int=1), UUID(int=2)


@pytest.fixture
async def link(ana) -> dict:
    invoice = await ana.invoice()
    return {"id": invoice["id"], **await ana.post(f"/api/invoices/{invoice['id']}/share")}


async def test_neither_the_token_nor_its_proof_can_be_read_in_the_database(kernel, ana, link):
    token = link["shareToken"]
    rows = await everything_stored(kernel)

    assert tokens.seed_of(token).hex() in rows
    assert token not in rows
    assert urlsafe_b64decode(f"{token}=")[tokens.SEED_BYTES :].hex() not in rows
    assert tokens.earlier_hash(token).hex() not in rows


async def test_lists_show_the_same_link_as_the_invoice(ana, link):
    (listed,) = await ana.get("/api/invoices")

    assert (listed["shareToken"], listed["shareUrl"]) == (link["shareToken"], link["shareUrl"])


@pytest.mark.parametrize("place", [0, 21, 22, 40, 42])
async def test_a_token_that_differs_anywhere_opens_nothing(client, link, place):
    token = link["shareToken"]
    other = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]

    assert (await client.get(f"/s/{token}")).status_code == 200
    assert (await client.get(f"/s/{other}")).status_code == 404


def test_a_token_depends_on_secret_account_and_seed():
    seed = tokens.new_seed()

    invoice = {
        tokens.token(SECRET, ANA, seed),
        tokens.token(SECRET, BERTA, seed),
        tokens.token(b"l" * 32, ANA, seed),
        tokens.token(SECRET, ANA, tokens.new_seed()),
    }

    assert len(invoice) == 4


@pytest.mark.parametrize("token", ["", "A" * 42, "A" * 44, "ñ" * 43, "A" * 42 + "\n", "=" * 43])
def test_what_has_not_the_form_of_a_token_has_no_seed(token):
    assert tokens.seed_of(token) is None


# ---------------------------------------------------------------- links of before


@pytest.fixture
async def earlier(kernel, link) -> str:
    """The token of a link that was made before tokens had seeds."""
    token = "e" * 43
    async with as_owner(kernel) as connection:
        await connection.execute(
            text("update share_link set earlier_hash = :hash"), {"hash": tokens.earlier_hash(token)}
        )
    return token


async def test_an_earlier_link_opens_the_page_beside_the_one_that_is_shown(client, ana, link, earlier):
    again = await ana.post(f"/api/invoices/{link['id']}/share")

    assert again["shareToken"] == link["shareToken"]
    assert [(await client.get(f"/s/{one}")).status_code for one in (earlier, link["shareToken"])] == [200, 200]
    assert (await client.get(f"/s/{earlier}/pdf")).status_code == 200


async def test_revoking_ends_both(client, ana, link, earlier):
    await ana.delete(f"/api/invoices/{link['id']}/share")

    assert [(await client.get(f"/s/{one}")).status_code for one in (earlier, link["shareToken"])] == [404, 404]
