"""The public check of an invoice's QR."""

import pytest
from sandbox_messages import ISSUER, alta, invoice


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({}, "00"),
        ({"importe": "121"}, "00"),
        ({"importe": "121.01"}, "01"),
        ({"numserie": "F2026-0002"}, "01"),
        ({"nif": "89890002E"}, "01"),
    ],
)
async def test_the_check_of_a_qr_finds_what_is_held(authority, client, send, changes, result):
    await send(alta())
    fecha = invoice()["FechaExpedicionFactura"]
    asked = {"nif": ISSUER, "numserie": "F2026-0001", "fecha": fecha, "importe": "121.00", "formato": "json"}

    answer = await client.get(qr_address(authority), params=asked | changes)

    assert answer.json()["status"] == "OK"
    assert answer.json()["respuesta"]["resultado"] == result


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"nif": "", "importe": ""}, "1001.1004"),
        ({"nif": "89890001A"}, "2001"),
        ({"numserie": "F" * 61}, "2002"),
        ({"numserie": "Ñ"}, "2003"),
        ({"fecha": "31-02-2026"}, "2004"),
        ({"importe": "1,2"}, "2005"),
        ({"importe": "1.234"}, "2006"),
    ],
)
async def test_the_check_of_a_qr_refuses_what_is_no_address(authority, client, changes, error):
    asked = {"nif": ISSUER, "numserie": "F1", "fecha": "01-01-2026", "importe": "1", "formato": "json"}

    answer = await client.get(qr_address(authority), params=asked | changes)

    assert answer.json() == {"status": "KO", "error": error}


async def test_the_page_of_a_qr_says_sandbox_and_escapes_what_it_shows(authority, client):
    asked = {"nif": ISSUER, "numserie": "<script>", "fecha": "01-01-2026", "importe": "1"}

    answer = await client.get(qr_address(authority), params=asked)

    assert "sin efectos fiscales" in answer.text
    assert "Factura no encontrada" in answer.text
    assert "<script>" not in answer.text


def qr_address(authority):
    return authority.access.url.split("/wlpl")[0] + "/wlpl/TIKE-CONT/ValidarQR"
