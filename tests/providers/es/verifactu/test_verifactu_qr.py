from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.providers.api import Environment
from ledgerkit.providers.es.verifactu import qr

URLS = Path(__file__).parents[4].parent / "shared" / "spain" / "verifactu-examples" / "qr_urls.txt"
SAMPLE = {"issuer": "89890001K", "number": "12345678-G33", "issue_date": "01-09-2024", "gross_total": "241.4"}


@pytest.mark.parametrize(
    ("label", "environment", "changes"),
    [
        ("test verifactu", Environment.TEST, {}),
        ("prod verifactu", Environment.PRODUCTION, {}),
        ("encoded &", Environment.TEST, {"number": "12345678&G33", "issue_date": "01-01-2024"}),
    ],
)
def test_the_authoritys_own_addresses(label, environment, changes):
    if not URLS.is_file():
        pytest.skip(f"reference material absent: {URLS}")
    (listed,) = [line.split()[-1] for line in URLS.read_text().splitlines() if line.startswith(f"{label}  ")]

    assert qr.url(environment, **SAMPLE | changes) == listed


def test_a_sandbox_invoice_never_points_to_the_real_service():
    assert "agenciatributaria" not in qr.url(Environment.SANDBOX, **SAMPLE)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60))
def test_any_number_survives_the_address(number):
    address = urlsplit(qr.url(Environment.TEST, **SAMPLE | {"number": number}))

    assert address.fragment == ""
    assert parse_qsl(address.query, strict_parsing=True) == [
        ("nif", "89890001K"),
        ("numserie", number),
        ("fecha", "01-09-2024"),
        ("importe", "241.4"),
    ]


def test_the_printed_block_keeps_to_the_orden():
    assert 30 <= qr.BLOCK.size_mm <= 40
    assert qr.BLOCK.margin_mm >= 2
    assert qr.BLOCK.error_level == "M"
    assert qr.BLOCK.above == "QR tributario:"
    assert qr.BLOCK.below == "VERI*FACTU"
