"""The vectors of the web app's arithmetic are what the service computes today."""

from decimal import Decimal

import money_vectors
from ledgerkit.core.platform.documents import totals


def test_the_file_holds_what_the_service_computes():
    assert money_vectors.FILE.read_text(encoding="utf-8") == money_vectors.text(), (
        "run python tests/money_vectors.py, then vitest in web/"
    )


def test_another_policy_would_make_another_file(monkeypatch):
    monkeypatch.setattr(totals, "percent_of", lambda base, rate: (base * rate / 100).quantize(Decimal("0.01")))

    assert money_vectors.text() != money_vectors.FILE.read_text(encoding="utf-8")
