"""Strangers' requests to the authorization server are limited by network address, and told so in OAuth's form."""

import pytest

from ledgerkit.settings import RateLimit
from support.oauth import AUTHORIZE, PUBLIC, REGISTER, TOKEN, refused


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"rate_limit": RateLimit.ON})


async def test_ten_registrations_in_a_minute(client):
    answers = [await client.post(REGISTER, json=PUBLIC) for _ in range(11)]

    assert [answer.status_code for answer in answers] == [201] * 10 + [429]
    assert refused(answers[-1], 429) == "temporarily_unavailable"
    assert int(answers[-1].headers["retry-after"]) <= 60


async def test_sixty_authorizations_in_a_minute(client):
    answers = [await client.get(AUTHORIZE) for _ in range(61)]

    assert [answer.status_code for answer in answers] == [400] * 60 + [429]
    assert answers[-1].headers["content-type"].startswith("text/html")


async def test_three_hundred_requests_for_tokens_in_a_minute(client):
    answers = [await client.post(TOKEN, data={"client_id": "x"}) for _ in range(301)]

    assert [answer.status_code for answer in answers] == [401] * 300 + [429]
