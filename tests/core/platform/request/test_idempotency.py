"""A key given by the caller makes an operation happen once."""

import pytest

from support.api import CLIENT, Api, invoice_body
from support.database import everything_stored, row_counts
from support.scenes import scene

KEY = {"Idempotency-Key": "7f3c"}


async def twice(api: Api, method: str, path: str, body: object = None):
    return [await api.request(method, path, body, **KEY) for _ in range(2)]


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "/api/invoices", invoice_body()),
        ("POST", "/api/clients", CLIENT),
        ("POST", "/api/teams", {"name": "Otra", "country": "ES"}),
        ("POST", "/api/teams/switch/{team}", None),
        ("POST", "/api/teams/current/regenerate-key", None),
        ("PATCH", "/api/teams/current/members/{team member}/role", {"role": "finance"}),
        ("POST", "/api/invoices/{issued}/duplicate", None),
        ("POST", "/api/invoices/{draft}/share", None),
        ("PATCH", "/api/invoices/{draft}/pay", {"method": "card"}),
    ],
)
async def test_a_repetition_gets_the_first_answer(kernel, ana, method, path, sent):
    path = path.format(**await scene(ana))

    first, second = await twice(ana, method, path, sent)
    kept = await row_counts(kernel)
    third = await ana.request(method, path, sent, **KEY)

    assert first.is_success
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert third.content == first.content
    assert first.headers.get("etag") == second.headers.get("etag")
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert await row_counts(kernel) == kept


MAC = 43
"""Characters of a key's secret part."""


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/api/teams", {"name": "Otra", "country": "ES"}),
        ("/api/teams/current/regenerate-key", None),
        ("/api/teams/switch/{team}", None),
    ],
)
async def test_an_answer_with_a_key_is_kept_unreadable(kernel, ana, path, sent):
    answer = await ana.request("POST", path.format(team=ana.team["id"]), sent, **KEY)

    shown = answer.json()
    key = (shown.get("team") or shown)["apiKey"]
    stored = await everything_stored(kernel)
    assert key.startswith("lk_live_")
    assert key not in stored
    assert key[-MAC:] not in stored


async def test_an_answer_kept_under_another_secret_is_a_conflict(kernel, ana):
    await ana.request("POST", "/api/teams/current/regenerate-key", **KEY)
    object.__setattr__(kernel, "secret", b"another secret of the tests, forty characters")

    problem = await ana.refused(409, "POST", "/api/teams/current/regenerate-key", **KEY)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"


async def test_inviting_is_done_once(ana, client):
    await Api.register(client, "rosa@example.com")

    first, second = await twice(ana, "POST", "/api/teams/current/invite", {"email": "rosa@example.com"})

    assert (first.status_code, first.content) == (201, second.content)
    assert second.headers["idempotent-replayed"] == "true"


async def test_an_invitation_of_somebody_unregistered_is_mailed_once_and_told_twice(settings, ana):
    sent = {"email": "nadie@example.com", "role": "viewer"}

    first, second = await twice(ana, "POST", "/api/teams/current/invite", sent)
    anew = await ana.request("POST", "/api/teams/current/invite", sent, **{"Idempotency-Key": "another"})

    assert (first.status_code, second.status_code) == (404, 404)
    assert first.json() | {"requestId": None} == second.json() | {"requestId": None}
    assert (first.json()["code"], first.json()["invitation"]["email"]) == ("USER_NOT_REGISTERED", "nadie@example.com")
    assert ("idempotent-replayed" in first.headers, second.headers["idempotent-replayed"]) == (False, "true")
    assert anew.json()["invitation"]["id"] != first.json()["invitation"]["id"]
    assert len(list((settings.data_dir / "mail").glob("*.eml"))) == 2


async def test_the_key_of_a_mailed_invitation_belongs_to_its_address(ana):
    await ana.request("POST", "/api/teams/current/invite", {"email": "nadie@example.com"}, **KEY)

    problem = await ana.refused(409, "POST", "/api/teams/current/invite", {"email": "otra@example.com"}, **KEY)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"


async def test_a_refusal_that_leaves_nothing_done_is_not_kept(ana, client):
    sent = {"email": "ana@example.com"}
    refused = await ana.request("POST", "/api/teams/current/invite", sent, **KEY)

    again = await ana.request("POST", "/api/teams/current/invite", sent, **KEY)

    assert (refused.status_code, again.status_code) == (400, 400)
    assert "idempotent-replayed" not in again.headers


async def test_a_second_team_is_created_once_wherever_the_repetition_comes_from(ana):
    sent = {"name": "Otra", "country": "ES"}
    made = await ana.request("POST", "/api/teams", sent, **KEY)

    from_old = await ana.request("POST", "/api/teams", sent, **KEY, **{"X-Team-Id": ana.team["id"]})
    from_new = await ana.request("POST", "/api/teams", sent, **KEY)

    assert made.content == from_old.content == from_new.content
    assert len(await ana.get("/api/teams/my-teams")) == 2


async def test_the_first_team_is_created_once(client):
    eva = await Api.register(client, "eva@example.com")

    first, second = await twice(eva, "POST", "/api/teams", {"name": "Estudio", "country": "ES"})

    assert first.content == second.content
    assert len(await eva.get("/api/teams/my-teams")) == 1


async def test_mailing_is_done_once(settings, ana):
    draft = await ana.invoice()

    first, second = await twice(ana, "PATCH", f"/api/invoices/{draft['id']}/send")

    assert first.is_success, first.text
    assert first.content == second.content
    assert len(list((settings.data_dir / "mail").glob("*.eml"))) == 1


@pytest.mark.parametrize(
    ("path", "sent"),
    [("/api/clients", {"name": "Another"}), ("/api/invoices", invoice_body())],
    ids=["another body", "another operation"],
)
async def test_a_key_belongs_to_one_request(kernel, ana, path, sent):
    await ana.request("POST", "/api/clients", CLIENT, **KEY)
    before = await row_counts(kernel)

    problem = await ana.refused(409, "POST", path, sent, **KEY)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"
    assert problem["remedy"]
    assert await row_counts(kernel) == before


async def test_a_key_belongs_to_one_record(ana):
    ids = await scene(ana)
    await ana.request("POST", f"/api/invoices/{ids['draft']}/duplicate", None, **KEY)

    problem = await ana.refused(409, "POST", f"/api/invoices/{ids['issued']}/duplicate", None, **KEY)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"


async def test_the_order_of_keys_in_the_body_does_not_matter(ana):
    first = await ana.request("POST", "/api/clients", CLIENT, **KEY)

    again = await ana.request("POST", "/api/clients", dict(reversed(CLIENT.items())), **KEY)

    assert again.content == first.content


async def test_a_failure_frees_the_key(ana):
    wrong = await ana.request("POST", "/api/clients", {"name": "x", "taxId": "12345678A"}, **KEY)

    right = await ana.request("POST", "/api/clients", CLIENT, **KEY)

    assert (wrong.status_code, right.status_code) == (400, 201)
    assert "idempotent-replayed" not in right.headers


async def test_two_accounts_may_choose_the_same_key(ana, berta):
    hers, other = [await api.request("POST", "/api/clients", CLIENT, **KEY) for api in (ana, berta)]

    assert (hers.status_code, other.status_code) == (201, 201)
    assert hers.json()["id"] != other.json()["id"]


async def test_a_key_does_not_survive_into_another_persons_hands(ana):
    await ana.request("POST", "/api/clients", CLIENT, **KEY)
    team = Api(ana.client, {"x-api-key": ana.team["apiKey"]})

    problem = await team.refused(409, "POST", "/api/clients", CLIENT, **KEY)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"


async def test_reading_and_replacing_take_no_key(ana):
    made = await ana.post("/api/clients", CLIENT)

    for city in ("Bilbao", "Madrid"):
        await ana.request("PUT", f"/api/clients/{made['id']}", {"city": city}, **KEY)

    assert (await ana.get(f"/api/clients/{made['id']}"))["city"] == "Madrid"
