"""The web app's files as the server gives them: its page everywhere that is free, its assets for ever."""

import re
import shutil
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from ledgerkit.app import create_app
from ledgerkit.settings import Settings
from ledgerkit.web import DIRECTORY, Dist
from support.routes import served

INDEX = """<!doctype html><html lang="es"><head><meta property="csp-nonce" nonce="__CSP_NONCE__" />
<link rel="icon" href="/icon.svg" /><link rel="stylesheet" href="/assets/index-Bb22.css" /></head>
<body><script type="module" src="/assets/index-Aa11.js"></script></body></html>
"""
SCRIPT = b"export const x = 1;"
FILES = {
    "index.html": INDEX.encode(),
    "built": b"4242-17",
    "icon.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "assets/index-Aa11.js": SCRIPT,
    "assets/index-Aa11.js.br": b"in br",
    "assets/index-Aa11.js.gz": b"in gzip",
    "assets/index-Bb22.css": b":root{}",
    "assets/index-Bb22.css.gz": b"css in gzip",
    "assets/text-Cc33.woff2": b"wOF2",
}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
BASE = "http://127.0.0.1:8000"


def build(directory: Path) -> Path:
    """Fill a folder as Vite does."""
    for name, content in FILES.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return directory


@pytest.fixture(scope="module")
def apps(tmp_path_factory) -> dict[str, FastAPI]:
    """The application with the web app and without it; the files are gone when the first request comes."""
    directory = build(tmp_path_factory.mktemp("dist"))
    with_files = create_app(Settings(_env_file=None), web_directory=directory)
    shutil.rmtree(directory)
    return {"web": with_files, "bare": create_app(Settings(_env_file=None), web_directory=directory)}


def visitor(app: FastAPI, kernel) -> httpx2.AsyncClient:
    app.state.kernel = kernel
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url=BASE, headers={"Accept-Encoding": "identity"})


@pytest.fixture
async def web(apps, kernel) -> httpx2.AsyncClient:
    """A visitor of a server with the web app."""
    return visitor(apps["web"], kernel)


@pytest.fixture
async def bare(apps, kernel) -> httpx2.AsyncClient:
    """A visitor of a server without it."""
    return visitor(apps["bare"], kernel)


def directives(answer: httpx2.Response) -> dict[str, list[str]]:
    parts = (one.split() for one in answer.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in parts}


# ---------------------------------------------------------------- the page


PLACES = ["/", "/login", "/register", "/invoices", "/invoices/x/edit", "/till/1?page=2", "/settings/mail"]


@pytest.mark.parametrize("path", [*PLACES, "/a.b/c", "/%C3%B1", "/tax//x", "/assetsx", "/apiary", "/token"])
async def test_every_free_path_that_a_person_opens_is_the_app(web, path):
    answer = await web.get(path, headers=BROWSER)

    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert '<script type="module" src="/assets/index-Aa11.js">' in answer.text


async def test_the_first_page_is_there_for_whoever_asks(web):
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        assert (await web.get("/", headers=headers)).headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("accepted", ["*/*", "application/json", "image/avif,image/webp,*/*;q=0.8", ""])
async def test_for_programs_an_unknown_path_is_unknown(web, accepted):
    answer = await web.get("/invoices", headers={"Accept": accepted})

    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert answer.headers["content-type"] == "application/problem+json"


OTHERS = sorted({f"/{one.path.strip('/').split('/')[0]}" for one in served() if one.path.count("/") > 1})


def test_the_servers_own_areas_are_those():
    assert OTHERS == ["/.well-known", "/api", "/auth", "/d", "/join", "/messaging", "/oauth", "/reset", "/s", "/verify"]


@pytest.mark.parametrize("area", [*OTHERS, "/assets", "/docs", "/health", "/ready", "/mcp", "/openapi.json", "/forgot"])
async def test_what_is_unknown_below_the_servers_own_paths_is_a_problem(web, bare, area):
    path = f"{area}/no/such/thing"

    answer, before = await web.get(path, headers=BROWSER), await bare.get(path, headers=BROWSER)

    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert {**answer.json(), "requestId": ""} == {**before.json(), "requestId": ""}


@pytest.mark.whole
async def test_every_other_route_answers_as_without_the_app(web, bare):
    for one in served():
        if one.path in {"/", "/mcp", "/register", "/token"} or one.method != "GET":
            continue
        answers = [await visitor.request(one.method, one.address, headers=BROWSER) for visitor in (web, bare)]

        assert answers[0].status_code == answers[1].status_code, one.row
        assert "index-Aa11" not in answers[0].text, one.row


async def test_a_program_registers_where_a_person_does(web):
    """RFC 7591 clients POST to the path that the app's form stands at."""
    answer = await web.post("/register", json={})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert (await web.get("/register")).status_code == 405


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_the_app_is_read_only(web, method):
    for path in ("/", "/icon.svg", "/assets/index-Aa11.js"):
        answer = await web.request(method, path, headers=BROWSER)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD"), path

    assert (await web.request(method, "/invoices", headers=BROWSER)).status_code == 404


@pytest.mark.parametrize("path", ["/", "/invoices", "/assets/index-Aa11.js"])
async def test_head_is_get_without_its_content(web, path):
    head, get = await web.head(path, headers=BROWSER), await web.get(path, headers=BROWSER)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


# ---------------------------------------------------------------- its policy


async def test_the_page_runs_its_own_scripts_and_styles_only(web):
    answer = await web.get("/")

    policy = directives(answer)
    [nonce] = re.findall(r'<meta property="csp-nonce" nonce="([\w-]{22})" />', answer.text)
    assert policy == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'", f"'nonce-{nonce}'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-src": ["'self'", "blob:"],
        "media-src": ["'self'", "blob:"],
        "manifest-src": ["'self'"],
        "worker-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }
    assert "unsafe" not in answer.headers["content-security-policy"]


async def test_the_nonce_is_another_one_with_every_answer(web):
    nonces = {directives(await web.get("/"))["style-src"][1] for _ in range(5)}

    assert len(nonces) == 5


async def test_the_page_gives_nothing_away(web):
    headers = (await web.get("/")).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=(self)" in headers["permissions-policy"]
    assert "microphone=()" in headers["permissions-policy"]


# ---------------------------------------------------------------- its files


async def test_an_asset_is_kept_for_ever(web):
    answer = await web.get("/assets/index-Aa11.js")

    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "encoding", "content"),
    [
        ("br", "br", b"in br"),
        ("gzip, deflate, br", "br", b"in br"),
        ("gzip;q=1.0, br;q=0.5", "br", b"in br"),
        ("BR", "br", b"in br"),
        ("gzip, deflate", "gzip", b"in gzip"),
        ("gzip, br;q=0", "gzip", b"in gzip"),
        ("br; q=0.0, gzip ; q=0.000", None, SCRIPT),
        ("identity", None, SCRIPT),
        ("", None, SCRIPT),
        ("brotli", None, SCRIPT),
    ],
)
async def test_an_asset_comes_compressed_as_the_client_takes_it(web, accepted, encoding, content):
    request = web.build_request("GET", "/assets/index-Aa11.js", headers={"Accept-Encoding": accepted})
    answer = await web.send(request, stream=True)

    assert b"".join([part async for part in answer.aiter_raw()]) == content
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-length"] == str(len(content))


async def test_what_the_build_did_not_compress_comes_as_it_is(web):
    answer = await web.get("/assets/text-Cc33.woff2")

    assert (answer.content, answer.headers["content-type"]) == (b"wOF2", "font/woff2")
    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers


async def test_a_file_without_a_hash_in_its_name_is_asked_for_again(web):
    answer = await web.get("/icon.svg")

    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/index-Zz99.js",
        "/assets/index-Aa11.js.br",
        "/assets/",
        "/assets/%2e%2e/%2e%2e/__init__.py",
        "/assets//etc/passwd",
        "/assets/index-Aa11.js/",
    ],
)
async def test_an_unknown_asset_is_not_found_whatever_is_accepted(web, path):
    answer = await web.get(path, headers=BROWSER)

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert "no-store" in answer.headers["cache-control"]


async def test_what_is_no_file_for_browsers_is_not_given(web):
    assert (await web.get("/built")).status_code == 404
    assert (await web.get("/assets/index-Aa11.js.gz")).status_code == 404


async def test_files_are_read_once(web):
    assert (await web.get("/")).status_code == (await web.get("/assets/index-Aa11.js")).status_code == 200


# ---------------------------------------------------------------- without a build


async def test_without_a_build_a_plain_page_says_so(bare):
    answer = await bare.get("/", headers={"Accept-Language": "en"})

    assert answer.status_code == 200
    assert "The web app is not built here" in answer.text
    assert "make web" in answer.text
    assert '<a href="/docs" rel="noreferrer nofollow">' in answer.text
    assert "<script" not in answer.text
    assert "no-store" in answer.headers["cache-control"]
    assert directives(answer)["default-src"] == ["'none'"]


async def test_without_a_build_the_page_is_spanish_first(bare):
    assert "La aplicación web no está compilada aquí" in (await bare.get("/")).text


async def test_without_a_build_its_places_are_not_there(bare):
    person, program = await bare.get("/invoices", headers=BROWSER), await bare.get("/invoices")

    assert (person.status_code, program.status_code) == (404, 404)
    assert "make web" in person.text
    assert program.json()["code"] == "NOT_FOUND"


def test_half_a_build_is_none(tmp_path):
    (build(tmp_path) / "index.html").unlink()

    assert Dist.read(tmp_path) is None


def test_the_wheel_and_the_build_agree_on_the_folder():
    assert DIRECTORY.parts[-3:] == ("ledgerkit", "web", "dist")


def test_the_description_knows_nothing_of_it(apps):
    assert "/" not in apps["web"].openapi()["paths"]
