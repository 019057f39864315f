"""Which certificate an account gets in with: its own, or the operator's; for who sends, seals and signs.

Whoever a certificate names that is not the issuer has to be said to represent it, and is named in every message.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import select

from ledgerkit import clock
from ledgerkit.core.database import ciphers
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.einvoice import channels, rejection_texts
from ledgerkit.core.einvoice.certificates.models import fiscal_certificate
from ledgerkit.core.einvoice.certificates.schemas import CertificateStanding
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code
from ledgerkit.providers.api import Access, Environment, FieldProblem, FiscalChannel, Party
from ledgerkit.texts import ENGLISH, Wording

PURPOSE = "fiscal certificate"
_FIND = Prepared(select(fiscal_certificate))

_OF_ANOTHER = {
    ENGLISH: Wording(
        message="the account's own certificate is not that of the issuer, and was not uploaded as a representative's",
        remedy=(
            "Upload the certificate of the issuer's tax identifier (PUT /api/einvoice/certificate); or upload this one "
            "again with `represents: true`, if its holder has powers to report for the issuer."
        ),
    ),
    "es": Wording(
        message="el certificado propio de la cuenta no es el del emisor, y no se subió como el de un representante",
        remedy=(
            "Sube el certificado del NIF del emisor (PUT /api/einvoice/certificate); o vuelve a subir este con "
            "`represents: true`, si su titular está apoderado para remitir por el emisor."
        ),
    ),
}

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class AuthorityAccess:
    """How a chain's messages get in: the issuer's certificate, None for the operator's, and who acts for the issuer.

    With a `problem` nothing may go out: the certificate is somebody else's.
    """

    access: Access | None
    representative: Party | None
    problem: FieldProblem | None = None


async def authority_access(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> AuthorityAccess:
    """With which certificate the messages of an issuer go out, and whom they name as its representative."""
    if channel.certifies is None:
        return AuthorityAccess(access=None, representative=None)
    row = await own_certificate(ctx)
    if row is None:
        operators = channel.certifies.representative()
        acts = operators is not None and operators.tax_id != issuer_tax_id
        problem = channel.certifies.of_another(environment, issuer_tax_id)
        return AuthorityAccess(access=None, representative=operators if acts else None, problem=problem)
    acts = row.represents and row.tax_id != _normalised(ctx, issuer_tax_id)
    holder = Party(name=row.holder, tax_id=row.tax_id, country=row.country) if acts else None
    return AuthorityAccess(
        access=decrypt(ctx, row), representative=holder, problem=_own_of_another(ctx, row, environment, issuer_tax_id)
    )


async def require_authority_access(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> AuthorityAccess:
    """The same. Raises Invalid FISCAL_CHECK_FAILED where nothing may go out."""
    way = await authority_access(ctx, channel, environment, issuer_tax_id)
    if way.problem is not None:
        raise rejection_texts.rejection([way.problem], ready=False)
    return way


async def signing_certificate(ctx: Context) -> Access | None:
    """The account's certificate for records that are signed; None, for the operator's, without one that signs."""
    row = await own_certificate(ctx)
    return decrypt(ctx, row) if row is not None and row.signs else None


async def reporting_obstacles(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> list[FieldProblem]:
    """What keeps the operator's server from reporting for an issuer; with a certificate of the account's own, less."""
    row = await own_certificate(ctx)
    if row is None:
        return [*channel.ready(environment), *_of_another(channel, environment, issuer_tax_id)]
    stranger = None if channel.certifies is None else _own_of_another(ctx, row, environment, issuer_tax_id)
    return [*channel.ready(environment, own_certificate=True), *_listed(stranger)]


async def signing_obstacles(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> list[FieldProblem]:
    """Why nothing here may sign an issuer's records; empty where something may."""
    if channel.signs is None:
        return []
    row = await own_certificate(ctx)
    if row is None or not row.signs:
        return [*channel.signs.ready(environment, None), *_of_another(channel, environment, issuer_tax_id)]
    stranger = _own_of_another(ctx, row, environment, issuer_tax_id)
    return [*channel.signs.ready(environment, decrypt(ctx, row)), *_listed(stranger)]


def _of_another(channel: FiscalChannel, environment: Environment, issuer_tax_id: str) -> list[FieldProblem]:
    return _listed(None if channel.certifies is None else channel.certifies.of_another(environment, issuer_tax_id))


def _own_of_another(ctx: Context, row: Any, environment: Environment, issuer_tax_id: str) -> FieldProblem | None:
    """Why the account's certificate may not speak for this issuer, as after another tax identifier was set.

    In the sandbox nobody checks, as with the operator's.
    """
    theirs = row.represents or row.tax_id == _normalised(ctx, issuer_tax_id)
    if theirs or environment is Environment.SANDBOX:
        return None
    said = _OF_ANOTHER[ENGLISH]
    return FieldProblem(
        field="certificate",
        code=Code.CERTIFICATE_OF_ANOTHER,
        message=said.message,
        remedy=said.remedy,
        translations=_OF_ANOTHER,
    )


def _listed(found: FieldProblem | None) -> list[FieldProblem]:
    return [] if found is None else [found]


async def certificate_in_use(ctx: Context) -> CertificateStanding | None:
    """The certificate that this account reports with; None where it is not known, as in the sandbox."""
    row = await own_certificate(ctx)
    if row is not None:
        return CertificateStanding(of="account", expires_at=row.valid_to, days_left=days_left(row.valid_to))
    channel = channels.channel_of(ctx)
    if channel is None or channel.certifies is None:
        return None
    found = await asyncio.to_thread(channel.certifies.operators, Environment(ctx.settings.einvoice_env.value))
    if found is None:
        return None
    return CertificateStanding(of="operator", expires_at=found.valid_until, days_left=days_left(found.valid_until))


async def own_certificate(ctx: Context) -> Any | None:
    """The account's row, if it has a certificate."""
    return await _FIND.row(ctx.db)


def days_left(until: datetime) -> int:
    """Whole days; negative once it is over."""
    return (until - clock.now()).days


def decrypt(ctx: Context, row: Any) -> Access:
    """The certificate itself; empty when the server's secret key is another one now, which whoever uses it will say."""
    content = ciphers.opened(ctx.kernel.secret, PURPOSE, ctx.account.id, row.content)
    if content is None:
        log.error("a stored certificate cannot be read under this secret key", account=str(ctx.account.id))
    return Access(certificate=content or b"", seal=row.seal)


def issuer_tax_id(ctx: Context) -> str | None:
    """The account's tax identifier as certificates are compared with it."""
    return _normalised(ctx, ctx.account.tax_id)


def _normalised(ctx: Context, tax_id: str | None) -> str | None:
    if not tax_id or ctx.country is None:
        return tax_id
    return ctx.country.tax.check_tax_id(tax_id, ctx.account.country).normalised
