"""The README's five requests, as a new user pastes them, and the conversation that a new user types."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pypdfium2
import pytest
import zxingcpp

from support.pages import ROOT, blocks, pasted
from support.serving import served

OURS = ("LEDGERKIT_", "PYTHONDONTWRITEBYTECODE")
"""Beginnings of names that a command of a test does not inherit."""


async def test_the_five_requests_of_the_readme_end_in_a_pdf_whose_qr_is_the_record(tmp_path, fresh_urls):
    status = 'curl -sS --fail-with-body "$url/api/einvoice/status/$invoice" -H "$login" --output status.json'
    printing = ["exec 3>&1 >printed.txt", *blocks("README.md", "main-job"), "exec >&3"]
    again = ["(", "set +e", *blocks("README.md", "main-job")[0].split("\n\n")[:2], ") 2>refused.txt"]
    script = [*printing, status, 'printf %s "$login" > login', *again]

    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner) as server:
        await pasted(script, tmp_path, server)
        status = json.loads((tmp_path / "status.json").read_text())
        xml = await _record(server.url, status, (tmp_path / "login").read_text())

    assert (status["status"], status["environment"]) == ("accepted", "sandbox")
    company, emitted, size = (tmp_path / "printed.txt").read_text().splitlines()
    assert company == "Ana Ruiz Soler 12345678Z"
    assert emitted == f"{status['number']} accepted sandbox"
    assert re.fullmatch(r"invoice\.pdf \d+ bytes", size)
    assert "email: an account with this address exists" in (tmp_path / "refused.txt").read_text().splitlines()
    printed = parse_qs(urlsplit(_qr(tmp_path / "invoice.pdf")).query)
    assert printed == {
        "nif": [_literal(xml, "IDEmisorFactura")],
        "numserie": [_literal(xml, "NumSerieFactura")],
        "fecha": [_literal(xml, "FechaExpedicionFactura")],
        "importe": [_literal(xml, "ImporteTotal")],
    }


@pytest.mark.whole
async def test_the_four_lines_of_the_readme_end_in_an_accepted_invoice(tmp_path, fresh_urls):
    (lines,) = re.findall(r"^```text chat\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner):
        chat = await asyncio.create_subprocess_exec(
            *(str(Path(sys.executable).parent / "ledgerkit"), "chat"),
            cwd=tmp_path,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith(OURS)},
                "LEDGERKIT_DATABASE_URL": fresh_urls.owner,
                "LEDGERKIT_DATA_DIR": str(tmp_path / "data"),
                "LC_ALL": "es_ES.UTF-8",
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await chat.communicate(lines.encode())

    said = out.decode()
    assert chat.returncode == 0, said
    assert "Aceptada por la autoridad fiscal" in said
    assert said.index("Te deben 1.908,00 EUR, 3 facturas") > said.index("Aceptada")
    (pdf,) = (tmp_path / "data" / "chat").glob("F*-0003.pdf")
    assert pdf.read_bytes().startswith(b"%PDF-")


async def _record(url: str, status: dict, login: str) -> str:
    name, _, value = login.partition(": ")
    path = f"/api/einvoice/xml/{status['invoiceId']}"
    async with httpx2.AsyncClient(base_url=url, headers={name: value}, timeout=60) as client:
        return (await client.get(path, params={"fiscalId": status["fiscalId"]})).text


def _literal(xml: str, element: str) -> str:
    return re.search(rf"<(?:\w+:)?{element}>([^<]*)<", xml).group(1)


def _qr(pdf: Path) -> str:
    page = pypdfium2.PdfDocument(pdf)[0]
    (barcode,) = zxingcpp.read_barcodes(page.render(scale=3).to_pil())
    return barcode.text
