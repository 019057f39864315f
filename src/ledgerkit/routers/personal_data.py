"""/auth/export and DELETE /auth/me: export a person's data, and delete their account."""

from typing import Any

from fastapi import Response
from starlette.responses import FileResponse

from ledgerkit.core.operation.personal_data.api import AccountDeleted, DataExport, Goodbye
from ledgerkit.core.operation.personal_data.erasure import operations as erasure
from ledgerkit.core.operation.personal_data.export import operations as export_operations
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/auth", tags=["Auth"])

POLL_SECONDS = 5
_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}
_MAKING: dict[int | str, dict[str, Any]] = {202: {"model": DataExport, "description": "It is being made; ask again"}}


@router.post("/export", operation=export_operations.ask_for_export, operation_id="beginExport", responses=_MAKING)
async def begin_export(ctx: Ctx, response: Response) -> DataExport:
    """Begin an export of the user's data, unless there is one: 202 while it is made, 200 when it can be downloaded.

    It holds the user's profile and, for each account that the user owns, all records as JSON and CSV, issued invoices
    as PDF and invoice records as XML. It stays for 24 hours. API keys are refused here.
    """
    return _told(await export_operations.ask_for_export(ctx), response)


@router.get("/export", operation=export_operations.show_export, operation_id="exportData", responses=_MAKING)
async def export_data(ctx: Ctx, response: Response) -> DataExport:
    """Return the state of the export of the user's data: 202 while it is made, 200 when it can be downloaded.

    404 if no export has been begun. API keys are refused here.
    """
    return _told(await export_operations.show_export(ctx), response)


@router.get(
    "/export/download",
    operation=export_operations.download_export,
    operation_id="downloadExport",
    response_class=FileResponse,
    responses=_ZIP,
)
async def download_export(ctx: Ctx) -> FileResponse:
    """Download the user's export as a ZIP file, once it is ready. API keys are refused here."""
    file = await export_operations.download_export(ctx)
    return FileResponse(file.path, media_type="application/zip", filename=file.name)


@router.delete("/export", operation=export_operations.discard_export, operation_id="discardExport")
async def discard_export(ctx: Ctx) -> Ok:
    """Remove the user's export from the server; the next request for one begins anew. API keys are refused here."""
    await export_operations.discard_export(ctx)
    return Ok()


@router.delete("/me", operation=erasure.delete_account, operation_id="deleteAccount")
async def delete_account(ctx: Ctx, data: Goodbye) -> AccountDeleted:
    """Delete the user and all accounts that the user owns; the password is needed again.

    Logins, keys, links and personal data are removed at once. Books that the law requires are locked until the day
    that the answer names. Refused with 409 while teams of the user have other members. API keys are refused here.
    """
    return await erasure.delete_account(ctx, data)


def _told(export: DataExport, response: Response) -> DataExport:
    if export.state == "making":
        response.status_code = 202
        response.headers["Retry-After"] = str(POLL_SECONDS)
    return export
