"""A machine without pango: the server says so when it starts, and whoever asks for a PDF is told what to type."""

import httpx2
import pytest

from ledgerkit.core.sales.invoices.pdf import libraries
from support.api import Api
from support.processes import begun_anew
from support.serving import Server, served


@pytest.fixture
async def server(tmp_path, fresh_urls, monkeypatch) -> Server:
    """A server whose system has a pango that cannot be loaded."""
    broken = tmp_path / "libraries"
    broken.mkdir()
    for file in libraries.LIBRARIES["pango-1.0"]:
        (broken / file).touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(broken))
    async with served(tmp_path / "data", begun_anew, DATABASE_URL=fresh_urls.owner, EINVOICE_ENV="test") as server:
        yield server


@pytest.mark.whole
async def test_missing_pango_is_said_at_the_start_and_to_whoever_wants_a_pdf(server):
    async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        ana = await Api.register(client, "ana@example.com")
        invoice = await ana.invoice()
        english = await ana.refused(503, "GET", f"/api/invoices/{invoice['id']}/pdf")
        spanish = await ana.refused(503, "GET", f"/api/invoices/{invoice['id']}/pdf", **{"accept-language": "es"})

    (line,) = [line for line in server.said.splitlines() if "PDFs cannot be made" in line]
    assert "pango-1.0" in line
    assert libraries.command() in line
    assert english["code"] == spanish["code"] == "PDF_LIBRARIES_MISSING"
    assert "pango-1.0" in english["detail"]
    assert libraries.command() in english["remedy"]
    assert "a su sistema le falta pango-1.0" in spanish["detail"]
    assert libraries.command() in spanish["remedy"]
