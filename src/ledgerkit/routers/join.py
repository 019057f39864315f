"""/join: the page behind an invitation's link. No login, no script, not for search engines."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core.teams.invitations import acceptance, page
from ledgerkit.core.teams.texts import JoinPageMsg
from ledgerkit.problems import NotFound
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import Router

router = Router(prefix="/join", include_in_schema=False)


@router.get("/{token}", operation=acceptance.welcome)
async def show_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    """Show the invitation. The page does not use up its link, because mail programs open links, too."""
    language = forms.language(request)
    try:
        offer = await acceptance.welcome(ctx, token)
    except NotFound:
        return _invalid_link(request)
    return forms.shown(page.offer_page(offer, language))


@router.post("/{token}", operation=acceptance.accept_invitation)
async def accept_invitation(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language = forms.language(request)
    name, password, account = await forms.typed(request, "name", "password", "account")
    choice = acceptance.AccountChoice(account) if account in set(acceptance.AccountChoice) else None
    try:
        entry = await acceptance.accept_invitation(ctx, token, password, name.strip() or None, choice)
    except NotFound:
        return _invalid_link(request)
    if entry.refusal is None:
        return forms.shown(page.done_page(entry.offer, language))
    form = page.offer_page(entry.offer, language, refusal=entry.refusal, name=name, choice=choice)
    return forms.refused(form, entry.refusal)


def _invalid_link(request: Request) -> HTMLResponse:
    return forms.invalid_link(request, JoinPageMsg.INVITATION_INVALID, JoinPageMsg.INVITATION_INVALID_HELP)
