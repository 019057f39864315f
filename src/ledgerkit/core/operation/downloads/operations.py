"""Links to documents: made by those who may read the document, opened by whoever has the link until it expires."""

import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from ledgerkit import clock
from ledgerkit.core.catalog.files import exports
from ledgerkit.core.declarations import operations as declarations
from ledgerkit.core.declarations.pdf import operations as pdf
from ledgerkit.core.declarations.submission import operations as submission
from ledgerkit.core.einvoice.status import operations as status
from ledgerkit.core.operation.downloads.api import DocumentContent, DocumentLink, LinkedDocument
from ledgerkit.core.operation.downloads.texts import DownloadsMsg
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.limits.throttle import LINKS, Throttle
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.pdf import printed_invoice
from ledgerkit.problems import Code, Invalid, NotFound

VALID_FOR = timedelta(minutes=15)
PATH = "/d/"

_MEDIA_TYPES: Mapping[LinkedDocument, str] = {
    LinkedDocument.INVOICE_PDF: "application/pdf",
    LinkedDocument.EINVOICE_XML: "application/xml",
    LinkedDocument.DECLARATION_PDF: "application/pdf",
    LinkedDocument.DECLARATION_FILE: "application/octet-stream",
    LinkedDocument.CATALOG_CSV: "text/csv; charset=utf-8",
}
_RESOURCES: Mapping[LinkedDocument, str] = {LinkedDocument.INVOICE_PDF: "pdf", LinkedDocument.EINVOICE_XML: "xml"}


@operation(
    Permission.ACCOUNT,
    unit=Unit.READING,
    errors=[(Invalid, {Code.VALIDATION_ERROR, Code.NOT_EMITTED}), (NotFound, {Code.NOT_FOUND})],
)
async def link(ctx: Context, kind: LinkedDocument, record_id: str = "") -> DocumentLink:
    """Return a link to a document that the caller may read, good for VALID_FOR. Raises NotFound, Forbidden, Invalid."""
    if not record_id and kind is not LinkedDocument.CATALOG_CSV:
        raise Invalid.field("id", DownloadsMsg.ID_NEEDED)
    await _check(ctx, kind, record_id)
    expires_at = clock.now() + VALID_FOR
    target = LinkTarget(account_id=ctx.account.id, kind=kind, record_id=record_id, expires_at=expires_at)
    return DocumentLink(
        kind=kind,
        url=f"{ctx.settings.public_url}{PATH}{token_of(ctx.kernel.secret, target)}",
        expires_at=expires_at,
        media_type=_MEDIA_TYPES[kind],
        resource=f"ledgerkit://invoices/{record_id}/{_RESOURCES[kind]}" if kind in _RESOURCES else None,
    )


@operation(Permission.PUBLIC, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def opened(ctx: Context, token: str) -> DocumentContent:
    """Return the document behind a link. Raises NotFound for a link that is wrong or has expired, RateLimited."""
    target = target_of(ctx.kernel.secret, token)
    if target is None or target.expires_at < clock.now():
        raise NotFound(DownloadsMsg.LINK_INVALID)
    await ctx.kernel.service(Throttle).spend(LINKS, str(target.account_id), target.record_id)
    visitor = await accounts.visitor_context(ctx, target.account_id)
    return await _content(visitor, target.kind, target.record_id)


async def _content(ctx: Context, kind: LinkedDocument, record_id: str) -> DocumentContent:
    """Return a document that the caller may read, as each operation judges that gives it."""
    name, content_bytes = await _READERS[kind](ctx, record_id)
    return DocumentContent(name, content_bytes, _MEDIA_TYPES[kind])


async def _check(ctx: Context, kind: LinkedDocument, record_id: str) -> None:
    """Raise what keeps the caller from the document."""
    match kind:
        case LinkedDocument.INVOICE_PDF:
            await invoices.get(ctx, record_id)
        case LinkedDocument.EINVOICE_XML:
            await status.status(ctx, record_id)
        case LinkedDocument.DECLARATION_PDF | LinkedDocument.DECLARATION_FILE:
            await declarations.get(ctx, record_id)
        case LinkedDocument.CATALOG_CSV:
            ctx.require(Permission.CATALOG_READ)


async def _einvoice_xml(ctx: Context, invoice_id: str) -> tuple[str, bytes]:
    fiscal_id = (await status.status(ctx, invoice_id)).fiscal_id
    return await status.xml(ctx, invoice_id, fiscal_id)


async def _declaration_file(ctx: Context, declaration_id: str) -> tuple[str, bytes]:
    file = await submission.file(ctx, declaration_id)
    return file.name, file.content


async def _catalog_csv(ctx: Context, _record_id: str) -> tuple[str, bytes]:
    return "catalog.csv", await exports.as_csv(ctx, ",")


_READERS: Mapping[LinkedDocument, Callable[[Context, str], Awaitable[tuple[str, bytes]]]] = {
    LinkedDocument.INVOICE_PDF: printed_invoice.pdf,
    LinkedDocument.EINVOICE_XML: _einvoice_xml,
    LinkedDocument.DECLARATION_PDF: pdf.pdf,
    LinkedDocument.DECLARATION_FILE: _declaration_file,
    LinkedDocument.CATALOG_CSV: _catalog_csv,
}


# ---------------------------------------------------------------- tokens

_HEAD = struct.Struct("!16sIB")
_PROOF_BYTES = 16
_KINDS = tuple(LinkedDocument)
LONGEST = 400
"""Most characters of a token."""


@dataclass(frozen=True, kw_only=True)
class LinkTarget:
    """Document of an account, and the second after which its link is void."""

    account_id: UUID
    kind: LinkedDocument
    record_id: str
    expires_at: datetime


def token_of(secret: bytes, target: LinkTarget) -> str:
    """Return the token of a link: target and expiry after their HMAC under a key of the account, in base64url."""
    head = _HEAD.pack(target.account_id.bytes, int(target.expires_at.timestamp()), _KINDS.index(target.kind))
    payload = head + target.record_id.encode()
    return urlsafe_b64encode(_proof(secret, target.account_id, payload) + payload).rstrip(b"=").decode()


def target_of(secret: bytes, token: str) -> LinkTarget | None:
    """Return what a token opens, whether or not it has expired; None for one that this server did not make."""
    try:
        content = urlsafe_b64decode(token + "=" * (-len(token) % 4)) if len(token) <= LONGEST else b""
        account, expiry, kind = _HEAD.unpack_from(content, _PROOF_BYTES)
    except (Error, ValueError, struct.error):
        return None
    proof, payload = content[:_PROOF_BYTES], content[_PROOF_BYTES:]
    account_id = UUID(bytes=account)
    if not hmac.compare_digest(proof, _proof(secret, account_id, payload)):
        return None
    return LinkTarget(
        account_id=account_id,
        kind=_KINDS[kind],
        record_id=payload[_HEAD.size :].decode(),
        expires_at=datetime.fromtimestamp(expiry, UTC),
    )


def _proof(secret: bytes, account_id: UUID, payload: bytes) -> bytes:
    key = hmac.digest(secret, b"download link " + account_id.bytes, "sha256")
    return hmac.digest(key, payload, "sha256")[:_PROOF_BYTES]
