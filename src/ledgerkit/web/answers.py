"""Answers of the web app: its page, whose scripts and styles are its own only, its files, and the page without them."""

import re
import secrets

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ledgerkit.core.platform import pages
from ledgerkit.texts import text
from ledgerkit.web.dist import BuiltFile
from ledgerkit.web.messages import WebMsg

NONCE = "__CSP_NONCE__"
"""Place in the page of the word that lets its styles in; another one with every answer."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self' blob:; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_PERMISSIONS = (
    "accelerometer=(), browsing-topics=(), camera=(self), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"
)
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": _PERMISSIONS,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_REFUSED = re.compile(r"\s*q\s*=\s*0(\.0*)?\s*")
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_A_WHILE = "public, max-age=300"


def is_for_a_person(request: Request) -> bool:
    """Return True when the caller names HTML among what it accepts, as browsers do for what people open."""
    return "text/html" in request.headers.get("accept", "").lower()


def page(index: str) -> Response:
    """Return the page of the web app."""
    nonce = secrets.token_urlsafe(16)
    headers = {**_PAGE_HEADERS, "Content-Security-Policy": _POLICY.format(nonce=nonce)}
    return HTMLResponse(index.replace(NONCE, nonce), headers=headers)


def file(request: Request, built: BuiltFile) -> Response:
    """Return a file of the web app, compressed where the build has done so and the caller takes it."""
    accepted = _accepted_encodings(request.headers.get("accept-encoding", ""))
    encoding = next((encoding for encoding in built.encoded if encoding in accepted), None)
    headers = {
        "Cache-Control": _FOR_EVER if built.is_immutable else _FOR_A_WHILE,
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if built.encoded:
        headers["Vary"] = "Accept-Encoding"
    if encoding is None:
        return Response(built.content, media_type=built.media_type, headers=headers)
    headers["Content-Encoding"] = encoding
    return Response(built.encoded[encoding], media_type=built.media_type, headers=headers)


def not_built(request: Request, status: int) -> Response:
    """Return the page that says how the web app is built, with `status`."""
    language = pages.chosen_language(request.headers.get("accept-language", ""))
    lines = [text(WebMsg.WORKS_WITHOUT), text(WebMsg.BUILD_IT)]
    links = [pages.Link("/docs", text(WebMsg.TO_THE_DOCS))]
    content = pages.page(language, text(WebMsg.NOT_BUILT), lines, links=links)
    return HTMLResponse(content, status, dict(pages.HEADERS))


def _accepted_encodings(header: str) -> set[str]:
    """Return the encodings that `Accept-Encoding` names and does not refuse (RFC 9110 §12.5.3)."""
    parts = [part.partition(";") for part in header.lower().split(",")]
    return {name.strip() for name, _, weight in parts if not _REFUSED.fullmatch(weight)}
