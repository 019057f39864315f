"""/verify, /reset and /forgot: the pages behind mailed links. No login, no script, not for search engines.

Looking at them uses nothing up: mail programs open links too.
"""

from fastapi import Request
from starlette.responses import HTMLResponse

from ledgerkit.core.credentials import page, service, visits
from ledgerkit.problems import Invalid
from ledgerkit.routers import forms
from ledgerkit.routers.deps import Anonymous
from ledgerkit.routers.routing import Router

router = Router(include_in_schema=False)


@router.get("/verify/{token}")
async def show_verification(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language = forms.language(request)
    try:
        found = await service.recipient(ctx, token, "verification")
    except Invalid:
        return forms.shown(page.gone_page(language), 404)
    return forms.shown(page.verify_page(found.email, language))


@router.post("/verify/{token}")
async def confirm_address(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language, [password] = forms.language(request), await forms.typed(request, "password")
    try:
        visit = await visits.verify(ctx, token, password)
    except Invalid:
        return forms.shown(page.gone_page(language), 404)
    if visit.refusal is None:
        return forms.shown(page.verified_page(visit.email, language))
    return forms.refused(page.verify_page(visit.email, language, visit.refusal), visit.refusal)


@router.get("/reset/{token}")
async def show_reset(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language = forms.language(request)
    try:
        found = await service.recipient(ctx, token, "reset")
    except Invalid:
        return forms.shown(page.gone_page(language), 404)
    return forms.shown(page.reset_page(found.email, language))


@router.post("/reset/{token}")
async def replace_password(request: Request, ctx: Anonymous, token: str) -> HTMLResponse:
    language, [password] = forms.language(request), await forms.typed(request, "password")
    try:
        visit = await visits.reset(ctx, token, password)
    except Invalid:
        return forms.shown(page.gone_page(language), 404)
    if visit.refusal is None:
        return forms.shown(page.changed_page(visit.email, language))
    return forms.refused(page.reset_page(visit.email, language, visit.refusal), visit.refusal)


@router.get("/forgot")
async def show_forgotten(request: Request) -> HTMLResponse:
    return forms.shown(page.forgot_page(forms.language(request)))


@router.post("/forgot")
async def ask_for_link(request: Request, ctx: Anonymous) -> HTMLResponse:
    language, [email] = forms.language(request), await forms.typed(request, "email")
    visit = await visits.forgot(ctx, email.strip())
    if visit.refusal is None:
        return forms.shown(page.sent_page(language))
    return forms.refused(page.forgot_page(language, visit.refusal, email[:254]), visit.refusal)
