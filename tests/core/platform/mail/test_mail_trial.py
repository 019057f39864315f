"""The mail to oneself: accepted by a real mail server, refused in its words."""

import pytest
from pydantic import SecretStr

from ledgerkit.settings import VerifyEmail

TRIAL = "/api/mail/test"


@pytest.fixture
def settings(settings, smtp_port):
    return settings.model_copy(
        update={"smtp_url": SecretStr(f"smtp://127.0.0.1:{smtp_port}"), "verify_email": VerifyEmail.OFF}
    )


async def test_it_arrives_in_the_language_of_the_request(ana, inbox):
    answer = await ana.request("POST", TRIAL, **{"Accept-Language": "es"})

    assert answer.json() == {"recipient": ana.email, "deliveredTo": "smtp"}
    message = inbox.message()
    assert message["To"] == ana.email
    assert message["Subject"] == "Prueba de correo de ledgerkit"


async def test_a_refusal_is_answered_in_the_servers_words(ana, inbox):
    inbox.full = True

    problem = await ana.refused(502, "POST", TRIAL)

    assert problem["code"] == "MAIL_FAILED"
    assert "452 4.3.1 Mailbox full" in problem["detail"]
