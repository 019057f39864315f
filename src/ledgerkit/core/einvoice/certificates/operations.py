"""The account's own client certificate: uploaded, stored encrypted, described but never shown, tested, and removed."""

import binascii
from base64 import b64decode
from collections.abc import Sequence

import structlog
from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.certificates.api import (
    MAX_FILE_BYTES,
    CertificateInput,
    CertificateShown,
    ConnectionProblem,
    ConnectionTested,
)
from ledgerkit.core.einvoice.certificates.files import FileToOpen, OpenedFile, open_file
from ledgerkit.core.einvoice.certificates.table import CertificateRow, fiscal_certificate
from ledgerkit.core.einvoice.certificates.texts import CertificatesMsg
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.platform.database import ciphers
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Conflict, FieldError, Invalid, NotFound, Unavailable
from ledgerkit.providers.api import Access, Certificate, Certifying, Environment, FieldProblem, Mode
from ledgerkit.texts import ProblemText, fixed, problem_text

TEST_SECONDS = 30.0
_FIELD_OF_CODE = {"CERTIFICATE_PASSWORD": "password"}
log = structlog.get_logger()


@operation(
    Permission.EINVOICE_MANAGE,
    unit=Unit.OWN,
    errors=[
        (
            Invalid,
            {Code.EINVOICE_UNSUPPORTED, Code.ISSUER_INCOMPLETE, Code.CERTIFICATE_UNUSABLE, Code.CERTIFICATE_OF_ANOTHER},
        ),
        (Conflict, {Code.CERTIFICATE_IN_USE}),
        (Unavailable, {Code.SERVER_BUSY}),
        *guard.PROOF_ERRORS,
    ],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    proposable=False,
)
async def upload(ctx: Context, data: CertificateInput) -> CertificateShown:
    """Store a certificate for this account, in place of the one before.

    Raises Invalid CERTIFICATE_UNUSABLE for a file that cannot be used now, and outside of the sandbox for one that
    nobody but its holder vouches for; CERTIFICATE_OF_ANOTHER when the holder is
    somebody else and is not declared as the issuer's representative, ISSUER_INCOMPLETE without a tax identifier, and
    EINVOICE_UNSUPPORTED; Conflict CERTIFICATE_IN_USE when it cannot sign and replaces the only certificate that can;
    PasswordNeeded.
    """
    guard.require_recent_password(ctx)
    certificate = await _read(ctx, data)
    _check_authority(ctx, certificate)
    _check_holder(ctx, certificate, data)
    seal = bool(certificate.seal) if data.kind is None else data.kind == "seal"
    represents = certificate.holder.tax_id != access.issuer_tax_id(ctx)  # the issuer represents nobody
    return _shown(ctx, await ctx.transact(lambda inner: _store(inner, certificate, seal=seal, represents=represents)))


@operation(Permission.EINVOICE_MANAGE, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def show(ctx: Context) -> CertificateShown:
    """Describe the account's certificate; never show its key, its file or its password. Raises NotFound."""
    row = await access.own_certificate(ctx)
    if row is None:
        raise NotFound(CertificatesMsg.NONE_STORED)
    return _shown(ctx, row)


@operation(
    Permission.EINVOICE_MANAGE,
    errors=[(NotFound, {Code.NOT_FOUND}), (Conflict, {Code.CERTIFICATE_IN_USE}), *guard.PROOF_ERRORS],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    proposable=False,
)
async def remove(ctx: Context) -> CertificateShown:
    """Delete the account's certificate; from then on the operator's is used, if there is one.

    Raises NotFound; Conflict CERTIFICATE_IN_USE in the signed mode, if nothing else could sign the records;
    PasswordNeeded.
    """
    guard.require_recent_password(ctx)
    replaced_signer = await access.signing_certificate(ctx)
    row = await _DELETE.row(ctx.db)
    if row is None:
        raise NotFound(CertificatesMsg.NONE_STORED)
    await _require_signer(ctx, replaced_signer)
    await _log(ctx, "certificate_removed", row)
    return _shown(ctx, row)


_DELETE = Prepared(delete(fiscal_certificate).returning(*fiscal_certificate.c), CertificateRow)


@operation(
    Permission.EINVOICE_MANAGE,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED})],
    effects=Effect.READ_ONLY | Effect.OPEN_WORLD,
)
async def test(ctx: Context) -> ConnectionTested:
    """Connect to the authority as a message would, without sending one; report how far that succeeds."""
    channel, certifying = channels.required(ctx), _certifying(ctx)
    async with ctx.reading() as inner:
        row = await access.own_certificate(inner)
    environment = Environment(ctx.settings.einvoice_env.value)
    seconds = min(TEST_SECONDS, ctx.settings.einvoice_timeout)
    connection = await certifying.test(
        environment, timeout_seconds=seconds, access=None if row is None else access.decrypt(ctx, row)
    )
    seconds_ahead = None
    if connection.said_at is not None:
        ctx.kernel.service(ClockWatch).note(Reference.AUTHORITY, connection.said_at)
        seconds_ahead = round((clock.now() - connection.said_at).total_seconds())
    problem = connection.problem
    log.info("connection tested", channel=channel.id, host=connection.host, problem=problem and problem.code)
    return ConnectionTested(
        ok=problem is None and connection.certificate_accepted is True,
        environment=environment.value,
        host=connection.host,
        certificate=connection.certificate,
        reachable=connection.reachable,
        server_verified=connection.server_verified,
        certificate_accepted=connection.certificate_accepted,
        http_status=connection.http_status,
        milliseconds=connection.milliseconds,
        clock_seconds_ahead=seconds_ahead,
        problem=problem and _told(ctx, problem),
    )


# ---------------------------------------------------------------- within


def _shown(ctx: Context, row: CertificateRow) -> CertificateShown:
    return CertificateShown(
        id=str(row.id),
        holder=row.holder,
        tax_id=row.tax_id,
        represents=row.represents and row.tax_id != access.issuer_tax_id(ctx),
        issuer=row.issuer,
        serial=row.serial,
        kind="seal" if row.seal else "person",
        signs=row.signs,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        days_left=access.days_left(row.valid_to),
        uploaded_at=row.created_at,
        uploaded_by=row.user_name,
        problem=_problem_of(ctx, row),
    )


def _problem_of(ctx: Context, row: CertificateRow) -> ConnectionProblem | None:
    channel, environment = channels.channel_of(ctx), Environment(ctx.settings.einvoice_env.value)
    problem = None if channel is None else access.self_signed(ctx, channel, environment, row)
    return None if problem is None else _told(ctx, problem)


def _told(ctx: Context, problem: FieldProblem) -> ConnectionProblem:
    """Return a problem in the language of the request."""
    wording = problem.text.wording(ctx.request_metadata.language)
    return ConnectionProblem(code=problem.code, message=wording.message, remedy=wording.remedy)


def _certifying(ctx: Context) -> Certifying:
    certifying = channels.required(ctx).certifies
    if certifying is None:
        raise channels.unsupported(ctx)
    return certifying


async def _read(ctx: Context, data: CertificateInput) -> Certificate:
    """Return the certificate in the file, opened in a process of its own: a crafted file may cost much to open."""
    _certifying(ctx)
    file = FileToOpen(
        country=ctx.account.country,
        channel=channels.required(ctx).id,
        content=_content(data.file),
        password=data.password.get_secret_value() if data.password else None,
        at=clock.now(),
    )
    calls, request = ctx.kernel.service(ConfinedCalls), file.model_dump_json().encode()
    try:
        answer = OpenedFile.model_validate_json(await calls.call(open_file, ctx.account.id, request))
    except CallFailedError:
        text = problem_text(CertificatesMsg.TOO_COSTLY, {})
        raise _unusable("file", "CERTIFICATE_TOO_COSTLY", text) from None  # no log may show the file
    if (refusal := answer.refusal) is not None:
        text = fixed(refusal.message, refusal.remedy, refusal.translations)
        raise _unusable(_FIELD_OF_CODE.get(refusal.code, "file"), refusal.code, text)
    assert answer.certificate is not None  # noqa: S101 - one of both
    return answer.certificate


def _content(file: str) -> bytes:
    try:
        content = b64decode("".join(file.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Invalid.field("file", CertificatesMsg.FILE_NOT_BASE64) from None
    if len(content) > MAX_FILE_BYTES:
        raise Invalid.field("file", CertificatesMsg.FILE_TOO_LARGE, max_file_bytes=MAX_FILE_BYTES)
    return content


def _check_authority(ctx: Context, certificate: Certificate) -> None:
    """Refuse a self-signed certificate where there is a real authority, which never lets one in."""
    environment = Environment(ctx.settings.einvoice_env.value)
    if environment is Environment.SANDBOX:
        return
    problem = _certifying(ctx).self_signed(environment, Access(certificate=certificate.content))
    if problem is not None:
        raise _unusable("file", problem.code, problem.text)


def _check_holder(ctx: Context, certificate: Certificate, data: CertificateInput) -> None:
    """Check the certificate's holder now, rather than by the authority's answer to the first message."""
    if not ctx.account.tax_id:
        raise Invalid.field("issuer.taxId", CertificatesMsg.ISSUER_WITHOUT_TAX_ID, code=Code.ISSUER_INCOMPLETE)
    if certificate.holder.tax_id is None:
        text = problem_text(CertificatesMsg.WITHOUT_TAX_ID, {"holder": certificate.holder.name})
        raise _unusable("file", "CERTIFICATE_WITHOUT_TAX_ID", text)
    if certificate.holder.tax_id != access.issuer_tax_id(ctx) and not data.represents:
        holder = f"{certificate.holder.name} ({certificate.holder.tax_id})"
        raise Invalid.field(
            "file",
            CertificatesMsg.OF_ANOTHER_HOLDER,
            code=Code.CERTIFICATE_OF_ANOTHER,
            holder=holder,
            tax_id=ctx.account.tax_id,
        )


def _unusable(field: str, code: str, text: ProblemText) -> Invalid:
    errors = [FieldError(field=field, code=code, text=text)]
    return Invalid(text.about(field), code=Code.CERTIFICATE_UNUSABLE, errors=errors)


async def _require_signer(ctx: Context, replaced_signer: Access | None) -> None:
    """Raise Conflict CERTIFICATE_IN_USE when records have to be signed and only `replaced_signer` could sign them."""
    signs = await modes.signing(ctx)
    if signs is None or replaced_signer is None:
        return
    environment = Environment(ctx.settings.einvoice_env.value)
    if signs.ready(environment, replaced_signer):
        return
    if not await access.signing_obstacles(ctx, channels.required(ctx), environment, ctx.account.tax_id or ""):
        return
    upload, choose = "PUT /api/einvoice/certificate", f"`{signs.names[Mode.REPORTING]}` (PUT /api/einvoice/mode)"
    raise Conflict(CertificatesMsg.SIGNS_UNSENT_RECORDS, code=Code.CERTIFICATE_IN_USE, upload=upload, choose=choose)


async def _store(ctx: Context, certificate: Certificate, *, seal: bool, represents: bool) -> CertificateRow:
    assert certificate.holder.tax_id is not None  # noqa: S101 - refused before
    replaced_signer = await access.signing_certificate(ctx)
    values = Values(
        CertificateRow,
        id=new_id(),
        content=ciphers.closed(ctx.kernel.secret, access.PURPOSE, ctx.account.id, certificate.content),
        holder=certificate.holder.name,
        country=certificate.holder.country,
        tax_id=certificate.holder.tax_id,
        issuer=certificate.issuer,
        serial=certificate.serial,
        valid_from=certificate.valid_from,
        valid_to=certificate.valid_until,
        seal=seal,
        signs=certificate.signs,
        represents=represents,
        warned_days=None,
        user_id=ctx.actor.user_id,
        user_name=ctx.actor.user_name,
    )
    row = await _upsert(list(values)).one(ctx.db, **values)
    await _require_signer(ctx, replaced_signer)
    await _log(ctx, "certificate_uploaded", row)
    return row


def _upsert(columns: Sequence[str]) -> Prepared[CertificateRow]:
    """Insert the account's certificate, or replace the one it has, whose id and dates change with it."""
    new_row = upsert(fiscal_certificate)
    values = {name: new_row.excluded[name] for name in columns}
    revision = {"created_at": func.now(), "updated_at": func.now(), "version": fiscal_certificate.c.version + 1}
    statement = new_row.on_conflict_do_update(index_elements=["account_id"], set_={**values, **revision})
    return Prepared(statement.returning(*fiscal_certificate.c), CertificateRow, columns=columns)


async def _log(ctx: Context, action: str, row: CertificateRow) -> None:
    changes = {"valid_to": (None, utc_text(row.valid_to))}
    await activity.record(ctx, action, ("fiscal_certificate", row.id), row.holder, changes)
