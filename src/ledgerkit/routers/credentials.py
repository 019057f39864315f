"""/verify, /reset and /forgot: the pages behind mailed links. No login, no script, not for search engines.

Opening a page does not use its link up, because mail programs open links too.
"""

from collections.abc import Awaitable

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.mailed_links.links import Purpose
from ledgerkit.core.platform.credentials.pages import forms as page_forms
from ledgerkit.core.platform.credentials.texts import CredentialPagesMsg
from ledgerkit.problems import Invalid
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import Router

router = Router(include_in_schema=False)


@router.get("/verify/{token}", operation=credentials.recipient)
async def show_verification(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    return await _form(request, Purpose.VERIFICATION, credentials.recipient(ctx, token, "verification"))


@router.post("/verify/{token}", operation=page_forms.use_link)
async def confirm_address(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    [password] = await forms.typed(request, "password")
    return await _outcome(request, Purpose.VERIFICATION, page_forms.use_link(ctx, token, password, "verification"))


@router.get("/reset/{token}", operation=credentials.recipient)
async def show_reset(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    return await _form(request, Purpose.RESET, credentials.recipient(ctx, token, "reset"))


@router.post("/reset/{token}", operation=page_forms.use_link)
async def replace_password(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    [password] = await forms.typed(request, "password")
    return await _outcome(request, Purpose.RESET, page_forms.use_link(ctx, token, password, "reset"))


async def _form(request: Request, purpose: Purpose, recipient: Awaitable[credentials.Recipient]) -> HTMLResponse:
    try:
        email = (await recipient).email
    except Invalid:
        return _invalid_link(request)
    return forms.shown(page_forms.form_page(purpose, email, forms.language(request)))


async def _outcome(request: Request, purpose: Purpose, visit: Awaitable[page_forms.Visit]) -> HTMLResponse:
    language = forms.language(request)
    try:
        result = await visit
    except Invalid:
        return _invalid_link(request)
    if result.refusal is None:
        return forms.shown(page_forms.done_page(purpose, result.email, language))
    return forms.refused(page_forms.form_page(purpose, result.email, language, result.refusal), result.refusal)


def _invalid_link(request: Request) -> HTMLResponse:
    return forms.invalid_link(request, CredentialPagesMsg.LINK_INVALID, CredentialPagesMsg.LINK_INVALID_HELP)


# No operation: it shows everybody the same empty form.
@router.get("/forgot", operation=None)
async def show_forgotten(request: Request) -> HTMLResponse:
    return forms.shown(page_forms.forgot_page(forms.language(request)))


@router.post("/forgot", operation=page_forms.ask_for_link)
async def ask_for_link(request: Request, ctx: Anonymous) -> HTMLResponse:
    language, [email] = forms.language(request), await forms.typed(request, "email")
    visit = await page_forms.ask_for_link(ctx, email.strip())
    if visit.refusal is None:
        return forms.shown(page_forms.sent_page(language, visit.delivered_to))
    return forms.refused(page_forms.forgot_page(language, visit.refusal, email[:254]), visit.refusal)
