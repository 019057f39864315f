"""Sentences of the mails: every mail is complete in every language that the catalogues have."""

from datetime import UTC, date, datetime

import pytest

from ledgerkit.core.platform.mail import (
    CertificateNotice,
    FiscalNotice,
    PersonNotice,
    TeamNotice,
    account_deleted_mail,
    certificate_mail,
    fiscal_mail,
    invitation_mail,
    membership_mail,
    password_changed_mail,
    reset_mail,
    verification_mail,
)
from ledgerkit.texts.catalogues import FOLDER, languages

DAY = date(2026, 11, 30)
MOMENT = datetime(2026, 11, 30, 10, tzinfo=UTC)
TEAM = {"to": "rosa@example.com", "team_name": "Taller <Sol>", "reply_to": None, "role": "viewer", "link": "https://x/"}
CERTIFICATE = {
    "to": "ana@example.com",
    "team_name": "Taller <Sol>",
    "holder": "ANA & CO",
    "until": MOMENT,
    "days_left": 6,
    "time_zone": "Europe/Madrid",
    "link": "https://x/",
    "key": "certificate-1",
}
TROUBLES = ("delayed", "refused", "stopped", "clock", "chain", "renewed")


def mails(language: str):
    person = PersonNotice(language=language, to="ana@example.com", link="https://x/", forgotten="https://x/forgotten")
    team = TeamNotice(language=language, inviter="Ana", **TEAM)
    yield verification_mail(person, DAY)
    yield reset_mail(person)
    yield password_changed_mail(person, key_renewed=True)
    yield account_deleted_mail(person, ["Taller <Sol>"], DAY)
    yield account_deleted_mail(person, [], None)
    yield membership_mail(team)
    yield invitation_mail(team, DAY)
    for expired in (True, False):
        yield certificate_mail(CertificateNotice(language=language, expired=expired, **CERTIFICATE))
    for trouble in TROUBLES:
        yield fiscal_mail(
            FiscalNotice(
                language=language,
                to="ana@example.com",
                team_name="Taller <Sol>",
                issuer="ANA & CO",
                troubles=(trouble,),
                details=("4102: NIF no identificado",),
                count=3,
                oldest_at=MOMENT,
                time_zone="Europe/Madrid",
                link="https://x/",
            )
        )


@pytest.mark.parametrize("language", languages(FOLDER))
def test_every_mail_is_complete_in_every_language(language):
    for mail in mails(language):
        for part in (mail.subject, mail.text, mail.html):
            assert "{" not in part, mail.subject
        assert f'<html lang="{language}">' in mail.html
        assert mail.language == language


@pytest.mark.parametrize("language", languages(FOLDER))
def test_names_in_html_are_escaped_and_bold_where_they_matter(language):
    invitation = next(mail for mail in mails(language) if "https://x/" in mail.text and "Taller" in mail.subject)

    assert "<strong>Taller &lt;Sol&gt;</strong>" in invitation.html
    assert "Taller <Sol>" in invitation.text
    assert "Taller <Sol>" not in invitation.html
