"""The account's own client certificate: uploaded, kept encrypted, told of but never shown, tried, and removed."""

import binascii
from base64 import b64decode
from typing import Any

import structlog
from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.database import ciphers
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import channels, modes
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.certificates.models import fiscal_certificate
from ledgerkit.core.einvoice.certificates.opening import FileToOpen, Opened, Refusal, open_file
from ledgerkit.core.einvoice.certificates.schemas import (
    MAX_FILE_BYTES,
    CertificateInput,
    CertificateShown,
    ConnectionProblem,
    ConnectionTested,
)
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import (
    Code,
    Conflict,
    Invalid,
    NotFound,
    Unavailable,
    bilingual,
    bilingual_error,
    bilingual_field,
)
from ledgerkit.providers.api import (
    Access,
    Certificate,
    Certifying,
    Environment,
    Mode,
)
from ledgerkit.texts import ENGLISH, Wording

TEST_SECONDS = 30.0
_WHICH_FIELD = {"CERTIFICATE_PASSWORD": "password"}
_TOO_COSTLY = (
    Wording(
        message="opening the file takes too long or too much memory",
        remedy="Export the certificate again, with the usual settings.",
    ),
    Wording(
        message="abrir el fichero exige demasiado tiempo o demasiada memoria",
        remedy="Vuelve a exportar el certificado, con los ajustes habituales.",
    ),
)

log = structlog.get_logger()


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.certificates.upload",
    unit=Unit.OWN,
    errors=[
        (
            Invalid,
            {Code.EINVOICE_UNSUPPORTED, Code.ISSUER_INCOMPLETE, Code.CERTIFICATE_UNUSABLE, Code.CERTIFICATE_OF_ANOTHER},
        ),
        (Conflict, {Code.CERTIFICATE_IN_USE}),
        (Unavailable, {Code.SERVER_BUSY}),
    ],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def upload(ctx: Context, data: CertificateInput) -> CertificateShown:
    """Keep a certificate for this account, in place of the one there was.

    Raises Invalid CERTIFICATE_UNUSABLE for what cannot be used now, CERTIFICATE_OF_ANOTHER for one that names somebody
    else and does not say that it represents the issuer, ISSUER_INCOMPLETE without a tax identifier, and
    EINVOICE_UNSUPPORTED; Conflict CERTIFICATE_IN_USE for one that does not sign in place of the only one that does.
    """
    found = await _read(ctx, data)
    _check_holder(ctx, found, data)
    seal = bool(found.seal) if data.kind is None else data.kind == "seal"
    represents = found.holder.tax_id != access.issuer_tax_id(
        ctx
    )  # the issuer itself represents nobody, whatever was said

    async def attempt() -> Any:
        async with ctx.transaction() as inner:
            return await _kept(inner, found, seal=seal, represents=represents)

    return _shown(ctx, await retry_on_conflict(attempt))


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.certificates.show",
    unit=Unit.READING,
    errors=[(NotFound, {Code.NOT_FOUND})],
)
async def show(ctx: Context) -> CertificateShown:
    """What the account's certificate says; never its key, its file or its password. Raises NotFound."""
    row = await access.own_certificate(ctx)
    if row is None:
        raise _none()
    return _shown(ctx, row)


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.certificates.remove",
    errors=[(NotFound, {Code.NOT_FOUND}), (Conflict, {Code.CERTIFICATE_IN_USE})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def remove(ctx: Context) -> CertificateShown:
    """Forget the account's certificate; from then on the operator's is used, if there is one.

    Raises NotFound; Conflict CERTIFICATE_IN_USE while records are kept and nothing else could sign them.
    """
    before = await access.signing_certificate(ctx)
    row = (await ctx.db.execute(delete(fiscal_certificate).returning(*fiscal_certificate.c))).one_or_none()
    if row is None:
        raise _none()
    await _require_signer(ctx, before)
    await _tell(ctx, "certificate_removed", row)
    return _shown(ctx, row)


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.certificates.test",
    unit=Unit.OWN,
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED})],
    effects=Effect.READ_ONLY | Effect.OPEN_WORLD,
)
async def test(ctx: Context) -> ConnectionTested:
    """Connect to the authority as a message would, and send none; says how far that came and what to mend."""
    channel, certifying = channels.required(ctx), _certifying(ctx)
    async with ctx.reading() as inner:
        row = await access.own_certificate(inner)
    environment = Environment(ctx.settings.einvoice_env.value)
    seconds = min(TEST_SECONDS, ctx.settings.einvoice_timeout)
    came = await certifying.test(
        environment, timeout_seconds=seconds, access=None if row is None else access.decrypt(ctx, row)
    )
    log.info("connection tested", channel=channel.id, host=came.host, problem=came.problem and came.problem.code)
    problem = came.problem
    return ConnectionTested(
        ok=problem is None and came.certificate_accepted is True,
        environment=environment.value,
        host=came.host,
        certificate=came.certificate,
        reachable=came.reachable,
        server_verified=came.server_verified,
        certificate_accepted=came.certificate_accepted,
        http_status=came.http_status,
        milliseconds=came.milliseconds,
        problem=problem and ConnectionProblem(code=problem.code, message=problem.message, remedy=problem.remedy),
    )


# ---------------------------------------------------------------- within


def _shown(ctx: Context, row: Any) -> CertificateShown:
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
    )


def _certifying(ctx: Context) -> Certifying:
    certifying = channels.required(ctx).certifies
    if certifying is None:
        raise channels.unsupported(ctx)
    return certifying


async def _read(ctx: Context, data: CertificateInput) -> Certificate:
    """What the file says. Opening it costs what whoever made it wanted, so that is done in a process of its own."""
    _certifying(ctx)
    asked = FileToOpen(
        country=ctx.account.country,
        channel=channels.required(ctx).id,
        content=_content(data.file),
        password=data.password.get_secret_value() if data.password else None,
        at=clock.now(),
    )
    calls, request = ctx.kernel.service(ConfinedCalls), asked.model_dump_json().encode()
    try:
        answer = Opened.model_validate_json(await calls.call(open_file, ctx.account.id, request))
    except CallFailedError:
        raise _unusable("file", "CERTIFICATE_TOO_COSTLY", *_TOO_COSTLY) from None  # no log may show the file
    if answer.refusal is not None:
        raise _refused(answer.refusal)
    assert answer.certificate is not None  # noqa: S101 - one of both
    return answer.certificate


def _refused(refusal: Refusal) -> Invalid:
    english = refusal.translations.get(ENGLISH) or Wording(message=refusal.message, remedy=refusal.remedy)
    spanish = refusal.translations.get("es", english)
    return _unusable(_WHICH_FIELD.get(refusal.code, "file"), refusal.code, english, spanish)


def _content(file: str) -> bytes:
    try:
        content = b64decode("".join(file.split()), validate=True)
    except (binascii.Error, ValueError):
        raise bilingual_field(
            "file",
            ("is not base64", "Send the file's bytes, encoded in base64."),
            ("no es base64", "Envía los bytes del fichero, codificados en base64."),
        ) from None
    if len(content) > MAX_FILE_BYTES:
        raise bilingual_field(
            "file",
            (f"is larger than {MAX_FILE_BYTES} bytes", "Send one certificate only."),
            (f"ocupa más de {MAX_FILE_BYTES} bytes", "Envía un solo certificado."),
        )
    return content


def _check_holder(ctx: Context, found: Certificate, data: CertificateInput) -> None:
    """Whose certificate it is, is checked here and not by the authority's answer to the first message."""
    if not ctx.account.tax_id:
        raise bilingual_field(
            "issuer.taxId",
            (
                "the issuer has no tax identifier yet",
                "Set it with PUT /api/teams/current {taxId}, then upload again.",
            ),
            ("el emisor todavía no tiene NIF", "Indícalo con PUT /api/teams/current {taxId} y vuelve a subirlo."),
            code=Code.ISSUER_INCOMPLETE,
        )
    if found.holder.tax_id is None:
        english = Wording(
            message=f"it names {found.holder.name} without a tax identifier",
            remedy="Use a qualified certificate that carries its holder's tax identifier.",
        )
        spanish = Wording(
            message=f"nombra a {found.holder.name} sin NIF",
            remedy="Usa un certificado cualificado que lleve el NIF de su titular.",
        )
        raise _unusable("file", "CERTIFICATE_WITHOUT_TAX_ID", english, spanish)
    if found.holder.tax_id != access.issuer_tax_id(ctx) and not data.represents:
        holder = f"{found.holder.name} ({found.holder.tax_id})"
        raise bilingual_field(
            "file",
            (
                f"it belongs to {holder}, not to the issuer {ctx.account.tax_id}",
                "Use the issuer's own, or say `represents: true` if its holder has powers to report for the issuer.",
            ),
            (
                f"es de {holder}, no del emisor {ctx.account.tax_id}",
                "Usa el del emisor, o di `represents: true` si su titular está apoderado para remitir por el emisor.",
            ),
            code=Code.CERTIFICATE_OF_ANOTHER,
        )


def _unusable(field: str, code: str, english: Wording, spanish: Wording) -> Invalid:
    plain = [(said.message, said.remedy) for said in (english, spanish)]
    named = [(f"{field}: {message}", remedy) for message, remedy in plain]
    errors = [bilingual_error(field, code, *plain)]
    return bilingual(Invalid, *named, code=Code.CERTIFICATE_UNUSABLE, errors=errors)


async def _require_signer(ctx: Context, before: Access | None) -> None:
    """Records that are kept are signed: what signed them goes only when something else does. `before`: with what."""
    signs = await modes.signing(ctx)
    if signs is None or before is None:
        return
    environment = Environment(ctx.settings.einvoice_env.value)
    if signs.ready(environment, before):
        return
    if not await access.signing_obstacles(ctx, channels.required(ctx), environment, ctx.account.tax_id or ""):
        return
    upload, choose = "PUT /api/einvoice/certificate", f"`{signs.names[Mode.REPORTING]}` (PUT /api/einvoice/mode)"
    raise bilingual(
        Conflict,
        (
            "This certificate signs the records that are kept here, and nothing else could.",
            f"Upload another one that signs ({upload}), have the operator give one, or choose {choose} first.",
        ),
        (
            "Este certificado firma los registros que se conservan aquí, y ningún otro podría hacerlo.",
            f"Sube en su lugar otro que firme ({upload}), pide uno al operador, o elige antes {choose}.",
        ),
        code=Code.CERTIFICATE_IN_USE,
    )


async def _kept(ctx: Context, found: Certificate, *, seal: bool, represents: bool) -> Any:
    before = await access.signing_certificate(ctx)
    values = {
        "id": new_id(),
        "content": ciphers.closed(ctx.kernel.secret, access.PURPOSE, ctx.account.id, found.content),
        "holder": found.holder.name,
        "country": found.holder.country,
        "tax_id": found.holder.tax_id,
        "issuer": found.issuer,
        "serial": found.serial,
        "valid_from": found.valid_from,
        "valid_to": found.valid_until,
        "seal": seal,
        "signs": found.signs,
        "represents": represents,
        "warned_days": None,
        "user_id": ctx.actor.user_id,
        "user_name": ctx.actor.user_name,
    }
    stamped = {"created_at": func.now(), "updated_at": func.now(), "version": fiscal_certificate.c.version + 1}
    new = upsert(fiscal_certificate).values(values)
    statement = new.on_conflict_do_update(index_elements=["account_id"], set_={**values, **stamped})
    row = (await ctx.db.execute(statement.returning(*fiscal_certificate.c))).one()
    await _require_signer(ctx, before)
    await _tell(ctx, "certificate_uploaded", row)
    return row


async def _tell(ctx: Context, action: str, row: Any) -> None:
    said = {"valid_to": (None, utc_text(row.valid_to))}
    await activity.record(ctx, action, ("fiscal_certificate", row.id), row.holder, said)


def _none() -> NotFound:
    return bilingual(
        NotFound,
        (
            "This account has no certificate of its own.",
            "Upload one with PUT /api/einvoice/certificate; without it the operator's is used.",
        ),
        (
            "Esta cuenta no tiene certificado propio.",
            "Sube uno con PUT /api/einvoice/certificate; sin él se usa el del operador.",
        ),
    )
