"""/join: the page behind the link of an invitation. No login, no script, not for search engines."""

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from ledgerkit.core.teams import joining, page
from ledgerkit.problems import NotFound
from ledgerkit.routers.deps import Anonymous

router = APIRouter(prefix="/join", include_in_schema=False)


@router.get("/{token}")
async def show_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    """Looking uses nothing up: mail programs open links too."""
    language = _language(request)
    try:
        offer = await joining.welcome(ctx, token)
    except NotFound:
        return _answer(page.gone_page(language), 404)
    return _answer(page.offer_page(offer, language))


@router.post("/{token}")
async def accept_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language, typed = _language(request), parse_qs((await request.body()).decode("utf-8", "replace"))
    name, password = (typed.get(field, [""])[-1] for field in ("name", "password"))
    try:
        entry = await joining.accept(ctx, token, password, name.strip() or None)
    except NotFound:
        return _answer(page.gone_page(language), 404)
    if entry.refusal is None:
        return _answer(page.done_page(entry.offer, language))
    shown = page.offer_page(entry.offer, language, wrong=entry.refusal.code, name=name)
    return _answer(shown, entry.refusal.status)


def _answer(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(content, status, dict(page.HEADERS))


def _language(request: Request) -> page.Language:
    return "en" if request.headers.get("accept-language", "").lower().startswith("en") else "es"
