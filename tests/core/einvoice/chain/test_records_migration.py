"""Upgrade of accounts and invoices from before e-invoicing was switched on per account."""

from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import text

from support.migrating import at_revision, move

REPORTING, SILENT, NAMELESS = UUID(int=1), UUID(int=2), UUID(int=3)
ACCOUNT = (
    "insert into account (id, kind, name, country, currency, time_zone, tax_id)"
    " values (:id, 'team', 'x', 'ES', 'EUR', 'Europe/Madrid', :tax_id)"
)
INVOICE = (
    "insert into invoice (account_id, id, doc_type, status, series, number, issuer, client, items, tax_rate,"
    " retention_rate, subtotal, tax_amount, surcharge_amount, retention_amount, total, tax_breakdown, rounding,"
    " currency, issue_date, due_date, channel, einvoice, fiscal_standing, search_text) values (:account, :id,"
    " 'invoice', :status, 'F', :number, :issuer, '{}', '[]', 0, 0, 0, 0, 0, 0, 0, '[]', 'document', 'EUR',"
    " '2026-01-01', '2026-01-31', 'web', :einvoice, :standing, '')"
)
CHAIN = (
    "insert into fiscal_installation (account_id, id, channel, environment, issuer_tax_id, position)"
    " values (:account, :id, 'verifactu', :environment, 'x', :position)"
)
RECORD = (
    "insert into fiscal_record (account_id, id, installation_id, position, previous_id, kind, invoice_id, country,"
    " channel, channel_version, environment, fiscal_id, issuer_tax_id, number, issue_date, content, media_type,"
    " fingerprint, generated_at, digest, issuer_name, operated_on, corrects_id) values (:account, :id, :chain,"
    " :position, :previous, 'issue', :invoice, 'ES', 'verifactu', '1', 'test', 'x', 'x', '1', '2026-01-01', 'x',"
    " 'x', :fingerprint, '2026-01-01T10:00:00Z', 'x', 'x', '2026-01-01', :previous)"
)
STATUS = (
    "insert into fiscal_status (account_id, record_id, installation_id, position, state, code, message, reference)"
    " values (:account, :record, :chain, :position, :state, :code, 'Vaya', :reference)"
)


@pytest.fixture
async def connection(postgres):
    """To a database of its own, with the tables of revision 0020."""
    async with at_revision(postgres, "0020") as connection:
        for account, tax_id in ((REPORTING, "x"), (SILENT, "y"), (NAMELESS, None)):
            await run(connection, ACCOUNT, id=account, tax_id=tax_id)
        await connection.commit()
        yield connection


async def run(connection, statement: str, **values) -> None:
    await connection.execute(text(statement), values)


async def add_invoice(connection, account: UUID, number: str | None, **values) -> UUID:
    columns = {"issuer": '{"tax_id": "x"}', "einvoice": None, "standing": None} | values
    invoice, status = uuid4(), "draft" if number is None else "sent"
    await run(connection, INVOICE, account=account, id=invoice, status=status, number=number, **columns)
    return invoice


async def add_record(connection, chain: UUID, invoice: UUID, position: int, previous: UUID | None, **status) -> UUID:
    record = uuid4()
    place = {"account": REPORTING, "chain": chain, "position": position}
    columns = {"id": record, "previous": previous, "invoice": invoice, "fingerprint": f"hash {position}"}
    await run(connection, RECORD, **place, **columns)
    await run(connection, STATUS, **place, record=record, **status)
    return record


async def grouped(connection, query: str) -> dict:
    return {row[0]: row[1] for row in await connection.execute(text(query))}


async def test_accounts_with_records_are_on_for_good_and_the_others_by_default(connection):
    for account, environment, position in ((REPORTING, "test", 3), (REPORTING, "sandbox", 1), (SILENT, "test", 0)):
        await run(connection, CHAIN, account=account, id=uuid4(), environment=environment, position=position)
    await connection.commit()

    await move(connection, command.upgrade, "0021")

    assert await grouped(connection, "select id, recorded_in from account") == {
        REPORTING: ["sandbox", "test"],
        SILENT: [],
        NAMELESS: [],
    }
    assert set((await grouped(connection, "select id, einvoicing from account")).values()) == {"on"}


async def test_what_has_no_record_says_why(connection):
    await add_invoice(connection, REPORTING, None)
    await add_invoice(connection, REPORTING, "emitted", einvoice='{"status": "accepted"}', standing="held")
    await add_invoice(connection, REPORTING, "paid")
    await add_invoice(connection, NAMELESS, "old", issuer='{"tax_id": null}')
    await connection.commit()

    await move(connection, command.upgrade, "0021")

    query = "select number, unrecorded from invoice"
    assert await grouped(connection, query) == {
        None: None,
        "emitted": None,
        "paid": "earlier_version",
        "old": "no_tax_id",
    }


async def test_an_invoice_whose_correction_was_refused_shows_what_is_held(connection):
    chain = uuid4()
    shown = '{"id": "r", "kind": "issue", "status": "rejected", "issuedAt": "i", "errors": [{"code": "1110"}]}'
    await run(connection, CHAIN, account=REPORTING, id=chain, environment="test", position=2)
    invoice = await add_invoice(connection, REPORTING, "1", einvoice=shown, standing="held")
    accepted = await add_record(connection, chain, invoice, 1, None, state="accepted", code=None, reference="CSV-1")
    await add_record(connection, chain, invoice, 2, accepted, state="rejected", code="1110", reference=None)
    await add_invoice(connection, REPORTING, "2", einvoice=shown, standing="refused")
    await connection.commit()

    await move(connection, command.upgrade, "0022")

    stamps = await grouped(connection, "select number, einvoice from invoice")
    now = stamps["1"]
    assert (now["id"], now["status"], now["csv"], now["hash"]) == (str(accepted), "accepted", "CSV-1", "hash 1")
    assert (now["issuedAt"], now["errors"]) == ("2026-01-01T10:00:00.000Z", [])
    assert now["refused"] == {"record": "r", "kind": "issue", "issuedAt": "i", "errors": [{"code": "1110"}]}
    assert stamps["2"]["status"] == "rejected"


async def test_it_can_be_undone(connection):
    await add_invoice(connection, REPORTING, "paid")
    await connection.commit()
    await move(connection, command.upgrade, "0022")

    await move(connection, command.downgrade, "0020")

    columns = "select column_name, table_name from information_schema.columns where column_name in ('unrecorded')"
    assert await grouped(connection, columns) == {}
