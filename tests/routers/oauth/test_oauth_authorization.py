"""The authorization endpoint (RFC 6749 §4.1, RFC 7636, RFC 8252, RFC 8707, RFC 9207)."""

from urllib.parse import urlencode

import pytest

from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.request.scopes import Scope
from support.browsers import Page
from support.database import row_counts
from support.oauth import AUTHORIZE, CALLBACK, Application, query_of, way_back

ISSUER = "http://127.0.0.1:8000"


@pytest.fixture
async def application(client) -> Application:
    return await Application.registered(client)


async def test_a_valid_request_waits_on_the_consent_page_bound_to_the_browser(kernel, application):
    answer = await application.authorize(scope="read fiscal")

    request_id = query_of(answer.headers["location"])["request"]
    assert answer.headers["location"].startswith(f"{ISSUER}/oauth/consent?request=")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"ledgerkit_oauth_request={request_id};")
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Path=/oauth", "Max-Age=600"))
    assert await requests.pending(kernel, request_id) == AuthorizationRequest(
        client_id=application.id,
        client_name="An assistant",
        redirect_uri=CALLBACK,
        scopes=(Scope.READ, Scope.FISCAL),
        resource=f"{ISSUER}/mcp",
        state="the state of the client",
    )


# ---------------------------------------------------------------- no redirect where none can be trusted


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": None},
        {"client_id": "nobody"},
        {"redirect_uri": "https://thief.example/callback"},
        {"redirect_uri": f"{CALLBACK}/"},
        {"redirect_uri": f"{CALLBACK}?more=1"},
        {"redirect_uri": CALLBACK.upper()},
        {"redirect_uri": "javascript:alert(1)"},
    ],
)
@pytest.mark.parametrize(("language", "words"), [("es", "no se puede conectar"), ("en", "cannot be connected")])
async def test_a_bad_client_or_redirect_uri_is_told_to_the_person_only(application, changed, language, words):
    application.http.headers["Accept-Language"] = language

    answer = await application.authorize(**changed)

    assert (answer.status_code, answer.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert "location" not in answer.headers
    assert words in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
async def test_a_client_or_redirect_uri_that_is_named_twice_is_not_believed(application, name):
    query = urlencode([*application.request().items(), (name, "https://thief.example")])

    answer = await application.http.get(f"{AUTHORIZE}?{query}")

    assert (answer.status_code, "location" in answer.headers) == (400, False)


async def test_the_only_redirect_uri_need_not_be_named_and_one_of_several_must(client, application):
    several = await Application.registered(client, redirect_uris=[CALLBACK, f"{CALLBACK}/2"])

    assert await application.asked(redirect_uri=None)
    assert (await several.authorize(redirect_uri=None)).status_code == 400


# ---------------------------------------------------------------- errors with state and iss, by hand


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"response_mode": "form_post"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "?" * 43}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "read everything"}, "invalid_scope"),
        ({"resource": "https://another.example/mcp"}, "invalid_target"),
        ({"resource": f"{ISSUER}/api"}, "invalid_target"),
        ({"resource": f"{ISSUER}/mcp#part"}, "invalid_target"),
        ({"scope": "x" * 5000}, "invalid_request"),
        ({"scope": "read\0"}, "invalid_request"),
    ],
)
async def test_the_person_takes_the_error_of_an_invalid_request_back(application, changed, error):
    answer = await application.error(**changed)

    assert answer["error"] == error
    assert answer["state"] == "the state of the client"
    assert answer["iss"] == ISSUER
    assert all(" " <= one <= "~" and one not in '"\\' for one in answer["error_description"])


@pytest.mark.parametrize(
    ("language", "link", "warning"),
    [
        ("en", "Return to {}", "leads out of ledgerkit, to {}. Follow it only if you came from there."),
        ("es", "Volver a {}", "sale de ledgerkit y lleva a {}. Síguelo solo si vienes de ahí."),
    ],
)
@pytest.mark.parametrize(
    ("redirect_uri", "destination"),
    [
        (CALLBACK, "assistant.example"),
        ("https://ledgerkit.example.thief.example:444/x", "ledgerkit.example.thief.example:444"),
        ("http://127.0.0.1:33418/callback", "127.0.0.1:33418"),
        ("cursor://anysphere.cursor-mcp/oauth", "cursor:"),
    ],
)
async def test_the_page_of_an_error_names_where_its_link_leads(
    client, redirect_uri, destination, *, language, link, warning
):
    application = await Application.registered(client, redirect_uris=[redirect_uri])
    client.headers["Accept-Language"] = language

    answer = await application.authorize(scope="everything")

    page = Page(answer)
    assert way_back(answer).startswith(f"{redirect_uri}?error=invalid_scope")
    assert page.root.get("lang") == language
    assert page.warnings[0].endswith(warning.format(destination))
    assert page.root.xpath("//main//a")[0].text_content() == link.format(destination)
    assert page.root.xpath("//form | //script | //meta[@http-equiv]") == []
    assert "form-action 'self'; frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("name", ["state", "scope", "code_challenge", "response_type", "code_challenge_method"])
async def test_a_parameter_that_is_sent_twice_is_refused(application, name):
    query = urlencode([*application.request().items(), (name, "again")])

    answer = query_of(way_back(await application.http.get(f"{AUTHORIZE}?{query}")))

    assert answer["error"] == "invalid_request"
    assert answer.get("state") == (None if name == "state" else "the state of the client")


async def test_a_refused_request_is_not_stored(kernel, application):
    await application.error(scope="everything")
    await application.authorize(client_id="nobody")

    assert (await row_counts(kernel))["oauth_request"] == 0


async def test_too_many_parameters_are_refused(application):
    query = urlencode([*application.request().items(), *((f"more{number}", "1") for number in range(100))])

    assert (await application.http.get(f"{AUTHORIZE}?{query}")).status_code == 400


# ---------------------------------------------------------------- scopes and resources


@pytest.mark.parametrize(
    ("scope", "scopes"),
    [
        (None, (Scope.READ, Scope.WRITE)),
        ("", (Scope.READ, Scope.WRITE)),
        ("offline_access", (Scope.READ, Scope.WRITE)),
        ("read", (Scope.READ,)),
        ("team fiscal read offline_access", (Scope.READ, Scope.FISCAL, Scope.TEAM)),
    ],
)
async def test_a_request_without_scopes_is_for_reading_and_writing(kernel, application, scope, scopes):
    assert (await requests.pending(kernel, await application.asked(scope=scope))).scopes == scopes


@pytest.mark.parametrize("resource", [f"{ISSUER}/mcp", f"{ISSUER}/mcp/", "HTTP://127.0.0.1:8000/mcp", None])
async def test_the_resource_is_mcp_named_or_not(kernel, application, resource):
    assert (await requests.pending(kernel, await application.asked(resource=resource))).resource == f"{ISSUER}/mcp"


async def test_several_resources_must_all_be_ours(application):
    names = [("resource", f"{ISSUER}/mcp"), ("resource", f"{ISSUER}/mcp/")]
    query = urlencode([*application.request().items(), *names])
    foreign = urlencode([*application.request().items(), *names, ("resource", "https://another.example/mcp")])

    answer = await application.http.get(f"{AUTHORIZE}?{query}")
    refusal = await application.http.get(f"{AUTHORIZE}?{foreign}")

    assert "/oauth/consent?" in answer.headers["location"]
    assert query_of(way_back(refusal))["error"] == "invalid_target"


# ---------------------------------------------------------------- loopback redirects


@pytest.mark.parametrize(
    ("registered", "requested", "accepted"),
    [
        ("http://127.0.0.1:33418", "http://127.0.0.1:59656/", True),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:59656", True),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback", True),
        ("http://[::1]/callback", "http://[::1]:4000/callback", True),
        ("http://localhost:3118/callback", "http://localhost:40000/callback", True),
        ("http://localhost/callback", "http://127.0.0.1:40000/callback", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/other", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback?more=1", False),
        ("http://127.0.0.1/callback", "http://user@127.0.0.1:1/callback", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback#part", False),
        ("http://127.0.0.1/callback", "http://127.0.0.1:99999/callback", False),
        ("http://127.0.0.1/callback", "https://127.0.0.1:1/callback", False),
        ("https://assistant.example/callback", "https://assistant.example:444/callback", False),
        ("cursor://anysphere.cursor-mcp/oauth", "cursor://anysphere.cursor-mcp/oauth", True),
        ("com.example.app:/callback", "com.example.app:/callback2", False),
    ],
)
async def test_a_loopback_address_may_have_any_port_and_others_are_compared_as_texts(
    client, registered, requested, accepted
):
    application = await Application.registered(client, redirect_uris=[registered])

    assert (await application.authorize(redirect_uri=requested)).status_code == (303 if accepted else 400)


async def test_the_answer_goes_to_the_port_that_was_asked_with(client, ana):
    application = await Application.registered(client, redirect_uris=["http://127.0.0.1:33418"])
    request_id = await application.asked(redirect_uri="http://127.0.0.1:59656/")

    assert (await application.approved(ana, request_id)).startswith("http://127.0.0.1:59656/?code=")
