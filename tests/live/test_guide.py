"""docs/es/verifactu.md, pasted block after block, as an operator does before going live."""

import re

import pytest

from support.pages import blocks, pasted
from support.serving import served

PAGE = "docs/es/verifactu.md"
STATES = r'"status":"(\w+)"'


@pytest.mark.whole
async def test_the_operators_guide_can_be_followed_to_its_end(tmp_path):
    async with served(tmp_path / "data") as server:
        output = await pasted(blocks(PAGE, "guia"), tmp_path, server)

    assert (tmp_path / "factura.pdf").read_bytes().startswith(b"%PDF-")
    assert "<" in (tmp_path / "registro.xml").read_text()
    assert set(re.findall(STATES, output)) >= {"accepted", "rejected", "annulled"}
    assert output.count("and the chain holds") == 1
    assert ", 0 differences." in output
    assert "The export is whole, and its chains hold." in output
    assert "DECLARACIÓN RESPONSABLE" in output


@pytest.mark.whole
async def test_an_operator_whose_issuers_keep_their_records_finds_the_way_too(tmp_path, fresh_urls):
    beginning, *_ = blocks(PAGE, "guia")
    settings = ("VERIFACTU_SIGNED_MODE=on", f"DATABASE_URL={fresh_urls.owner}")
    (tmp_path / ".env").write_text("".join(f"LEDGERKIT_{setting}\n" for setting in settings))

    async with served(tmp_path / "data") as server:
        output = await pasted([beginning, *blocks(PAGE, "guia-guardar")], tmp_path, server)

    assert "\nkept\n" in output
    assert "and the check is logged." in output
    assert "Demand REQ2027000000001 is answered: 1 record." in output
