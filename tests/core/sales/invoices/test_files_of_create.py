"""Ceiling of the files of ours that the creation of an invoice runs: whoever follows it has to open them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import ledgerkit
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from support.api import CLIENT, Api, invoice_body
from support.office import nif

MOST_FILES = 47
"""Ceiling of the files; fewer is better."""

SOURCES = f"{Path(ledgerkit.__file__).parent}/"


@pytest.fixture
async def database(fresh_url):
    """Really committed, so that all of the connection's own code runs."""
    pool = Database(fresh_url, Pooling(size=1))
    yield pool
    await pool.close()


@contextmanager
def functions_called() -> Iterator[dict[str, set[str]]]:
    """Note the functions of ours that run meanwhile, by their file."""
    called: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(SOURCES):
            called.setdefault(path.removeprefix(SOURCES), set()).add(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


def stored_client(_number: int) -> dict[str, Any]:
    return CLIENT


def new_client(number: int) -> dict[str, Any]:
    return {"name": f"Talleres {number}", "taxId": nif(number), "country": "ES"}


@pytest.mark.parametrize("client_of", [stored_client, new_client])
async def test_creating_an_invoice_runs_few_files(client, kernel, client_of):
    ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
    actor = await kernel.service(Authenticator).by_key(ana.api_key, pinned=ana.team["id"])
    runs = []

    for number in range(30_000_001, 30_000_007):
        data = InvoiceInput.model_validate(invoice_body(client=client_of(number)))
        with functions_called() as called:
            await invoices.create(Context(kernel=kernel, who=actor), data)
        runs.append(called)

    files = set.intersection(*map(set, runs))  # tasks in the background run beside some of them only
    listed = "\n".join(f"{path}: {', '.join(sorted(runs[-1][path]))}" for path in sorted(files))
    assert len(files) <= MOST_FILES, listed
