"""A whole message that waits is sent without waiting for the authority's pause to be over."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from uuid import UUID

import pytest
from sqlalchemy import insert, update

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import links
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.documents import frozen as documents
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.providers.api import Environment, Installation, Place
from support.api import item
from support.database import as_owner
from support.office import emit, eventually, settled

WHOLE = 1000
"""Records in one message at most, and with as many waiting the next one goes at once."""


async def sealed(office, api, invoice, count: int) -> list[dict]:
    """Rows of records that follow the account's last one in its chain, each sealed as any other; stored by nobody."""
    ctx = await accounts.system_context(office.kernel, UUID(api.team["id"]))
    async with ctx.transaction() as inner:
        row = await lifecycle.fetch_locked(inner, invoice["id"])
        whole = await documents.document(inner, row)
    channel = office.kernel.countries.channel("ES", "verifactu")
    (last,) = await office.records(api)
    installation = Installation(number=last.installation_id.hex, several_issuers=False)
    common, before, rows = {one.name: getattr(last, one.name) for one in fiscal_record.c}, last, []
    for position in range(2, count + 2):
        at = max(clock.local_now("Europe/Madrid"), before.generated_at)
        link = links.as_audited_record(before, None).link
        place = Place(previous=link, installation=installation, at=at, environment=Environment.SANDBOX)
        sealed_record = channel.seal(replace(whole, number=f"G2026-{position:04d}"), place)
        columns = {
            name: getattr(sealed_record, name) for name in ("fiscal_id", "number", "content", "fingerprint", "qr_url")
        }
        linked = {
            "id": new_id(),
            "previous_id": before.id,
            "position": position,
            "generated_at": sealed_record.generated_at,
        }
        rows.append(common | columns | linked | {"digest": links.digest(before.digest, sealed_record.content)})
        before = SimpleNamespace(**rows[-1])
    return rows


async def stored(office, api, rows: list[dict]) -> None:
    """All of them waiting, as if they had been made one by one while the authority's pause lasts."""
    last, account = rows[-1], {"account_id": UUID(api.team["id"])}
    names = ("number", "issue_date", "fingerprint", "generated_at", "digest")
    head = {f"last_{name}": last[name] for name in names} | {"last_record_id": last["id"], "position": last["position"]}
    waiting = [
        account | {"record_id": row["id"], "state": "pending"} | {n: row[n] for n in ("installation_id", "position")}
        for row in rows
    ]
    async with as_owner(office.kernel) as connection:
        await connection.execute(insert(fiscal_record), rows)
        await connection.execute(insert(fiscal_status), waiting)
        of_chain = fiscal_installation.c.id == last["installation_id"]
        await connection.execute(update(fiscal_installation).where(of_chain).values(head))
        of_chain = fiscal_sender.c.installation_id == last["installation_id"]
        values = {"waiting": len(rows), "waiting_since": rows[0]["generated_at"], "position": last["position"]}
        await connection.execute(update(fiscal_sender).where(of_chain).values(values))


@pytest.mark.whole
async def test_a_thousand_waiting_records_do_not_wait_and_fewer_do(hasty, berta):
    first = await berta.invoice(items=[item(description="Identidad visual [sandbox:wait 600]")])
    await emit(berta, first)
    await settled(berta, first)
    await stored(hasty, berta, await sealed(hasty, berta, await berta.invoice(), WHOLE - 2))

    last_but_one = await emit(berta, await berta.invoice())
    await asyncio.sleep(1)
    states = [record.state for record in await hasty.records(berta)]
    await emit(berta, await berta.invoice())

    async def over() -> bool:
        return {record.state for record in await hasty.records(berta)} == {"accepted"}

    await eventually(over, pause=0.2)
    sent = [one for one in hasty.authority.received if berta.team["taxId"].encode() in one]
    assert last_but_one["status"] == "pending"
    assert states == ["accepted"] + ["pending"] * (WHOLE - 1)
    assert [message.count(b":RegistroAlta ") for message in sent] == [1, WHOLE]
    assert hasty.authority.chain_breaks(berta.team["taxId"]) == ()
    assert (await berta.get("/api/einvoice/chain?verify=true"))["verification"]["ok"]
