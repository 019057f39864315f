"""`ledgerkit verifactu reconcile` and `resume`, beside a server with a sandbox authority."""

from datetime import date
from typing import get_args

import httpx2
import pytest

from ledgerkit.commands.sending import _print_difference
from ledgerkit.core.einvoice.api import Difference, ResultState
from ledgerkit.core.einvoice.transmission.reconciliation import Kind
from ledgerkit.providers.es.sandbox import sandbox
from support.api import Api
from support.commands import ledgerkit
from support.office import emit
from support.serving import reporting_to, served

TAX_ID = "50000001W"


@pytest.mark.whole
async def test_a_command_beside_a_server_asks_the_sandbox_that_runs_in_it(tmp_path):
    data = tmp_path / "data"
    async with served(data) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
        month = (await emit(api, await api.invoice()))["issuedAt"][:7]
        result = await ledgerkit(data, "verifactu", "reconcile", "--month", month)
    alone = await ledgerkit(data, "verifactu", "reconcile", "--month", month)

    assert result[0] == 0
    assert "1 document here, 1 at the authority, 0 differences" in result[1]
    assert (alone[0], alone[2].count("\n")) == (3, 1)


async def test_an_operator_compares_a_month_and_goes_on_sending(tmp_path, fresh_urls):
    authority = sandbox(tmp_path / "authority")
    await authority.start()
    settings = reporting_to(authority.access) | {"DATABASE_URL": fresh_urls.owner}
    data = tmp_path / "data"
    try:
        async with served(data, **settings) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
            result = await emit(api, await api.invoice())
            month = result["issuedAt"][:7]
            agrees = await ledgerkit(data, "verifactu", "reconcile", "--tax-id", TAX_ID, "--month", month, **settings)
            authority._authority.register._held.clear()
            differs = await ledgerkit(data, "verifactu", "reconcile", "--month", month, **settings)
            empty = await ledgerkit(data, "verifactu", "reconcile", "--month", "2026-01", **settings)
            resumed = await ledgerkit(data, "verifactu", "resume", "--tax-id", TAX_ID, **settings)
            wrong = await ledgerkit(data, "verifactu", "reconcile", "--month", "last", **settings)
    finally:
        await authority.stop()

    assert (agrees[0], agrees[1].count("0 differences")) == (0, 1)
    assert differs[0] == 1
    assert f"{result['number']} of" in differs[1]
    assert "missing there" in differs[1]
    assert (empty[0], empty[2].count("\n")) == (3, 1)
    assert resumed[0] == 0
    assert wrong[0] == 2


@pytest.mark.parametrize(
    ("kind", "state", "line"),
    [
        ("missing_there", "accepted", "F1 del 2026-11-22: falta allí. Aquí: aceptada. Allí: nada. Mira."),
        ("other_state", "accepted_with_errors", "otro estado. Aquí: aceptada con errores. Allí: nada."),
    ],
)
def test_a_difference_is_in_the_operators_language(kind, state, line, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "es_ES.UTF-8")

    _print_difference(difference(kind, state))

    assert line in capsys.readouterr().out


def test_every_kind_of_difference_and_every_state_has_its_words(capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")

    for kind in get_args(Kind):
        for state in get_args(ResultState):
            _print_difference(difference(kind, state))

    assert len(capsys.readouterr().out.splitlines()) == len(get_args(Kind)) * len(get_args(ResultState))


def difference(kind: Kind, state: ResultState) -> Difference:
    return Difference(
        kind=kind,
        number="F1",
        issue_date=date(2026, 11, 22),
        invoice_id=None,
        here=state,
        there=None,
        total_here=None,
        total_there=None,
        repaired=False,
        remedy="Mira.",
    )
