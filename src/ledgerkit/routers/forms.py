"""Pages and their forms: few bytes in, one page out, in the language of whoever looks."""

from urllib.parse import parse_qs

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core import pages
from ledgerkit.core.pages import Language
from ledgerkit.problems import Problem, TooLarge, bilingual

LONGEST_FORM = 8 << 10
"""Bytes of what is typed into a page, encoded: anybody may send one."""


async def typed(request: Request, *names: str) -> list[str]:
    """Texts typed into the fields of a form; empty ones for those that were not sent. Raises TooLarge."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_FORM:
            raise bilingual(
                TooLarge,
                ("The form is too large.", "Send what the page asks for, and no more."),
                ("El formulario es demasiado grande.", "Envía lo que pide la página y nada más."),
            )
    sent = parse_qs(body.decode("utf-8", "replace"))
    return [sent.get(name, [""])[-1] for name in names]


def shown(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(content, status, dict(pages.HEADERS))


def refused(content: str, refusal: Problem) -> HTMLResponse:
    """A page that says why its form was refused."""
    return HTMLResponse(content, refusal.status, {**pages.HEADERS, **refusal.headers})


def language(request: Request) -> Language:
    return pages.spoken(request.headers.get("accept-language", ""))
