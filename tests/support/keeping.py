"""NO VERI*FACTU through the API: choosing it, and what its log says."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.einvoice.log_schemas import DemandInput
from ledgerkit.core.identity import accounts

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"


async def keep(api):
    return await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})


async def report(api):
    return await api.put("/api/einvoice/mode", {"mode": "verifactu"})


async def kinds(office, api) -> list[str]:
    rows = await office.rows(
        "select kind from fiscal_event where account_id = :account order by position", account=api.team["id"]
    )
    return [row.kind for row in rows]


async def system(office, api):
    return await accounts.system_context(office.kernel, UUID(api.team["id"]))


async def spoil(office, statement: str, **values) -> None:
    async with office.kernel.database.engine.connect() as connection:
        await connection.execute(text(statement), values)


def demand(reference: str = "REQ2026A") -> DemandInput:
    today = clock.today("Europe/Madrid")
    return DemandInput(reference=reference, since=today - timedelta(days=1), until=today)
