"""Ceiling of the files of ours that the creation of an invoice runs: whoever follows it has to open them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import ledgerkit
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from support.api import Api, invoice_body

MOST_FILES = 45
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


async def test_creating_an_invoice_runs_few_files(client, kernel):
    ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
    actor = await kernel.service(Authenticator).by_key(ana.api_key, pinned=ana.team["id"])
    data = InvoiceInput.model_validate(invoice_body())
    await invoices.create(Context(kernel=kernel, who=actor), data)
    await invoices.create(Context(kernel=kernel, who=actor), data)

    with functions_called() as called:
        await invoices.create(Context(kernel=kernel, who=actor), data)

    listed = "\n".join(f"{path}: {', '.join(sorted(names))}" for path, names in sorted(called.items()))
    assert len(called) <= MOST_FILES, listed
