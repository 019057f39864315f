"""The signed mode (NO VERI*FACTU) through the API: choosing it, and reading its event log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.einvoice.signed_mode.api import DemandInput
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.database import as_owner
from support.office import Office, cloned, opened

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"


@asynccontextmanager
async def signed_mode_office(postgres, directory: Path, cheap_passwords) -> AsyncIterator[Office]:
    """A server whose operator offers the signed mode."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(country.channels[0].loaded, "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
        async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
            yield office


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


async def tamper(office, statement: str, **values) -> None:
    async with as_owner(office.kernel) as connection:
        await connection.execute(text(statement), values)


def request(reference: str = "REQ2026A") -> DemandInput:
    today = clock.today("Europe/Madrid")
    return DemandInput(reference=reference, since=today - timedelta(days=1), until=today)
