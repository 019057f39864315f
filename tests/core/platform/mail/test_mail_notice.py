"""The mail about records that do not reach the authority."""

from datetime import UTC, datetime

import pytest

from ledgerkit.core.platform.mail import FiscalNotice, fiscal_mail

USUAL = {
    "language": "es",
    "to": "ana@example.com",
    "team_name": "Norte SL",
    "issuer": "89890001K",
    "troubles": ("delayed",),
    "details": ("",),
    "count": 3,
    "oldest_at": datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    "time_zone": "Europe/Madrid",
    "link": "https://facturas.example.com",
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("kind", ["delayed", "refused", "stopped", "clock"])
def test_text_and_html_name_trouble_count_time_and_link(language, kind):
    mail = fiscal_mail(
        FiscalNotice(**USUAL | {"language": language, "troubles": (kind,), "details": ("Codigo[4112]. <b>",)})
    )

    assert "89890001K" in mail.subject
    for shown in (mail.text, mail.html):
        assert "10:30:00" in shown
        assert "https://facturas.example.com" in shown
        assert "Codigo[4112]" in shown
    assert "<b>" not in mail.html
    assert mail.language == language


def test_each_trouble_has_its_own_text():
    texts = {
        fiscal_mail(FiscalNotice(**USUAL | {"language": language, "troubles": (kind,)})).text
        for language in ("es", "en")
        for kind in ("delayed", "refused", "stopped", "clock")
    }

    assert len(texts) == 8


def test_the_subject_for_a_wrong_clock_alone_mentions_no_records():
    mail = fiscal_mail(
        FiscalNotice(**USUAL | {"troubles": ("clock",), "details": ("+90 s",), "count": 0, "oldest_at": None})
    )

    assert "reloj" in mail.subject
    assert "+90 s" in mail.text
    assert "más antiguo" not in mail.text
