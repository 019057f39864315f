"""/join: the page behind the link of an invitation. No login, no script, not for search engines."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core.teams import joining, page
from ledgerkit.problems import NotFound
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import Router

router = Router(prefix="/join", include_in_schema=False)


@router.get("/{token}")
async def show_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    """Looking uses nothing up: mail programs open links too."""
    language = forms.language(request)
    try:
        offer = await joining.welcome(ctx, token)
    except NotFound:
        return forms.shown(page.gone_page(language), 404)
    return forms.shown(page.offer_page(offer, language))


@router.post("/{token}")
async def accept_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language = forms.language(request)
    name, password, account = await forms.typed(request, "name", "password", "account")
    answer = joining.Answer(account) if account in set(joining.Answer) else None
    try:
        entry = await joining.accept(ctx, token, password, name.strip() or None, answer)
    except NotFound:
        return forms.shown(page.gone_page(language), 404)
    if entry.refusal is None:
        return forms.shown(page.done_page(entry.offer, language))
    shown = page.offer_page(entry.offer, language, refusal=entry.refusal, name=name, answer=answer)
    return forms.refused(shown, entry.refusal)
