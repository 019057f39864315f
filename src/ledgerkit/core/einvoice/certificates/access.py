"""Access to the authority: the certificate with which an account's messages are sent and its records signed.

It is the account's own certificate or, without one, the operator's. A holder who is not the issuer must be declared as
its representative, and every message names them.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import select

from ledgerkit import clock
from ledgerkit.core.einvoice.authority import channels, rejections
from ledgerkit.core.einvoice.certificates.api import CertificateStanding
from ledgerkit.core.einvoice.certificates.table import CertificateRow, fiscal_certificate
from ledgerkit.core.einvoice.certificates.texts import CertificatesMsg
from ledgerkit.core.platform.database import ciphers
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import einvoicing_state
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.accounts.profiles import IssuerRow
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.problems import Code
from ledgerkit.providers.api import Access, Certifying, Environment, FieldProblem, FiscalChannel, Party
from ledgerkit.providers.registry import Registry

PURPOSE = "fiscal certificate"
_OWN = Prepared(select(fiscal_certificate), CertificateRow)

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class AuthorityAccess:
    """The certificate for a chain's messages, None for the operator's, and the party that represents the issuer.

    With a `problem` nothing may be sent: the certificate is somebody else's.
    """

    access: Access | None
    representative: Party | None
    problem: FieldProblem | None = None


async def authority_access(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> AuthorityAccess:
    """Return the certificate and the representative for an issuer's messages, or the problem that prevents them."""
    if channel.certifies is None:
        return AuthorityAccess(access=None, representative=None)
    certificate = await own_certificate(ctx)
    if certificate is None:
        operator = channel.certifies.representative()
        represents = operator is not None and operator.tax_id != issuer_tax_id
        problem = _operator_problem(ctx, channel.certifies, environment, issuer_tax_id)
        return AuthorityAccess(access=None, representative=operator if represents else None, problem=problem)
    represents = certificate.represents and certificate.tax_id != _normalised(ctx, issuer_tax_id)
    holder = (
        Party(name=certificate.holder, tax_id=certificate.tax_id, country=certificate.country) if represents else None
    )
    problem = _holder_problem(ctx, certificate, environment, issuer_tax_id)
    return AuthorityAccess(access=decrypt(ctx, certificate), representative=holder, problem=problem)


async def require_authority_access(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> AuthorityAccess:
    """Return what `authority_access` does. Raises Invalid FISCAL_CHECK_FAILED where nothing may be sent."""
    access = await authority_access(ctx, channel, environment, issuer_tax_id)
    if access.problem is not None:
        raise rejections.rejection([access.problem], ready=False)
    return access


async def signing_certificate(ctx: Context) -> Access | None:
    """Return the account's certificate if it can sign records; None means that the operator's signs."""
    certificate = await own_certificate(ctx)
    return decrypt(ctx, certificate) if certificate is not None and certificate.signs else None


async def reporting_obstacles(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> list[FieldProblem]:
    """Return the obstacles to reporting for an issuer from this server; fewer with a certificate of the account's."""
    if environment.value == ctx.settings.einvoice_env.value and not trials.may_record(ctx.kernel, ctx.account):
        return [FieldProblem.of("LEDGERKIT_EINVOICE_ENV", "ACCOUNT_IS_LIVE", CertificatesMsg.ACCOUNT_IS_LIVE)]
    certificate = await own_certificate(ctx)
    if certificate is None:
        return [*channel.ready(environment), *_listed(_without_certificate(ctx, channel, environment, issuer_tax_id))]
    problem = None if channel.certifies is None else _holder_problem(ctx, certificate, environment, issuer_tax_id)
    unvouched = None if environment is Environment.SANDBOX else self_signed(ctx, channel, environment, certificate)
    return [*channel.ready(environment, own_certificate=True), *_listed(problem), *_listed(unvouched)]


async def production_needs(ctx: Context) -> list[FieldProblem]:
    """Return all that the account's channel still lacks for real documents, whatever the server's environment now is.

    They are the obstacles to an emission in production (settings, the producer's declaration, certificate), and an
    expired certificate, with which records would only wait. None without a channel, or if e-invoicing is off for
    another reason than a missing tax identifier.
    """
    channel = channels.channel_of(ctx)
    is_left_out = einvoicing_state.reason_without_records(ctx.kernel, ctx.account) not in {None, Off.NO_TAX_ID}
    if channel is None or is_left_out:
        return []
    obstacles = await reporting_obstacles(ctx, channel, Environment.PRODUCTION, ctx.account.tax_id or "")
    return [*obstacles, *_listed(await _out_of_date(ctx, channel))]


async def _out_of_date(ctx: Context, channel: FiscalChannel) -> FieldProblem | None:
    """Return the problem of the certificate for production, if its time has run out or not begun."""
    if channel.certifies is None:
        return None
    certificate = await own_certificate(ctx)
    if certificate is not None:
        return _untimely(certificate.holder, certificate.valid_from, certificate.valid_to)
    operators = await asyncio.to_thread(channel.certifies.operators, Environment.PRODUCTION)
    return None if operators is None else _untimely(operators.holder.name, operators.valid_from, operators.valid_until)


def _untimely(holder: str, since: datetime, until: datetime) -> FieldProblem | None:
    if until <= clock.now():
        return FieldProblem.of(
            "certificate", "CERTIFICATE_EXPIRED", CertificatesMsg.RUN_OUT, holder=holder, until=until.date()
        )
    if since > clock.now():
        return FieldProblem.of(
            "certificate", "CERTIFICATE_NOT_YET_VALID", CertificatesMsg.NOT_YET_VALID, holder=holder, since=since.date()
        )
    return None


def self_signed(
    ctx: Context, channel: FiscalChannel, environment: Environment, certificate: CertificateRow
) -> FieldProblem | None:
    """Return the problem of an account's certificate for which only its holder vouches; the sandbox has none."""
    if channel.certifies is None:
        return None
    return channel.certifies.self_signed(environment, decrypt(ctx, certificate))


async def signing_obstacles(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> list[FieldProblem]:
    """Return the obstacles to signing an issuer's records on this server; none where nothing needs signing."""
    if channel.signs is None:
        return []
    certificate = await own_certificate(ctx)
    if certificate is None or not certificate.signs:
        unsigned = channel.signs.ready(environment, None)
        return [*unsigned, *_listed(_without_certificate(ctx, channel, environment, issuer_tax_id))]
    problem = _holder_problem(ctx, certificate, environment, issuer_tax_id)
    return [*channel.signs.ready(environment, decrypt(ctx, certificate)), *_listed(problem)]


def _without_certificate(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> FieldProblem | None:
    """Return the problem of an issuer whose account has no certificate, beside those that the server has itself."""
    certifying = channel.certifies
    if certifying is None:
        return None
    is_real = environment is not Environment.SANDBOX
    if is_real and _is_earlier(ctx, issuer_tax_id) and certifying.operators(environment) is None:
        return _none_of_earlier(issuer_tax_id)
    return _operator_problem(ctx, certifying, environment, issuer_tax_id)


def _operator_problem(
    ctx: Context, certifying: Certifying, environment: Environment, issuer_tax_id: str
) -> FieldProblem | None:
    problem = certifying.of_another(environment, issuer_tax_id)
    return problem if problem is None or not _is_earlier(ctx, issuer_tax_id) else _none_of_earlier(issuer_tax_id)


def _none_of_earlier(issuer_tax_id: str) -> FieldProblem:
    message = CertificatesMsg.NONE_OF_EARLIER_ISSUER
    return FieldProblem.of("certificate", Code.CERTIFICATE_OF_ANOTHER, message, tax_id=issuer_tax_id)


def _is_earlier(ctx: Context, issuer_tax_id: str) -> bool:
    """Return True for a tax identifier that the account had before its present one."""
    return _normalised(ctx, issuer_tax_id) != _normalised(ctx, ctx.account.tax_id)


def _holder_problem(
    ctx: Context, certificate: CertificateRow, environment: Environment, issuer_tax_id: str
) -> FieldProblem | None:
    """Return the problem of a certificate whose holder may not act for this issuer; None in the sandbox.

    It arises when the team's tax identifier changes after the upload, and for corrections under an earlier one.
    A document of an earlier issuer is refused also when the certificate is out of date: nobody will renew it for that.
    """
    if environment is Environment.SANDBOX:
        return None
    is_authorised = certificate.represents or certificate.tax_id == _normalised(ctx, issuer_tax_id)
    if _is_earlier(ctx, issuer_tax_id) and (not is_authorised or certificate.valid_to <= clock.now()):
        return FieldProblem.of(
            "certificate",
            Code.CERTIFICATE_OF_ANOTHER,
            CertificatesMsg.NOT_OF_EARLIER_ISSUER,
            tax_id=issuer_tax_id,
            holder=certificate.tax_id,
            until=certificate.valid_to.date(),
        )
    if is_authorised:
        return None
    return FieldProblem.of("certificate", Code.CERTIFICATE_OF_ANOTHER, CertificatesMsg.OF_ANOTHER)


def _listed(problem: FieldProblem | None) -> list[FieldProblem]:
    return [] if problem is None else [problem]


async def certificate_in_use(ctx: Context) -> CertificateStanding | None:
    """Return the certificate with which this account reports; None if it is not known, as in the sandbox."""
    certificate = await own_certificate(ctx)
    if certificate is not None:
        return CertificateStanding(
            of="account", expires_at=certificate.valid_to, days_left=days_left(certificate.valid_to)
        )
    channel = channels.channel_of(ctx)
    if channel is None or channel.certifies is None:
        return None
    environment = Environment(ctx.settings.einvoice_env.value)
    operators = await asyncio.to_thread(channel.certifies.operators, environment)
    if operators is None:
        return None
    until = operators.valid_until
    return CertificateStanding(of="operator", expires_at=until, days_left=days_left(until))


async def own_certificate(ctx: Context) -> CertificateRow | None:
    """Return the row of the account's own certificate; None without one."""
    return await _OWN.row(ctx.db)


def days_left(until: datetime) -> int:
    """Return the whole days until then, rounded down; negative once it is past."""
    return (until - clock.now()).days


def decrypt(ctx: Context, certificate: CertificateRow) -> Access:
    """Return the certificate itself. Its content is empty when the server's secret key has changed since.

    A caller that uses an empty one reports that it cannot be read.
    """
    content = ciphers.opened(ctx.kernel.secret, PURPOSE, ctx.account.id, certificate.content)
    if content is None:
        log.error("a stored certificate cannot be read under this secret key", account=str(ctx.account.id))
    return Access(certificate=content or b"", seal=certificate.seal)


def issuer_tax_id(ctx: Context) -> str | None:
    """Return the account's tax identifier in the form in which certificates name it."""
    return _normalised(ctx, ctx.account.tax_id)


def _normalised(ctx: Context, tax_id: str | None) -> str | None:
    if not tax_id or ctx.country is None:
        return tax_id
    return ctx.country.tax.check_tax_id(tax_id, ctx.account.country).normalised


_NOBODY = ""
"""Tax identifier that no certificate has."""


@dataclass(frozen=True, kw_only=True)
class UncoveredIssuer:
    """An issuer who cannot report: its own certificate, or without one the operator's, is somebody else's."""

    issuer: IssuerRow
    problem: FieldProblem


@dataclass(frozen=True, kw_only=True)
class OperatorCertificateLimit:
    """Limit of an operator's certificate: it reports for `holder` only, or for nobody; `setting` widens that."""

    channel: str
    holder: str | None
    setting: str


async def uncovered_issuers(kernel: Kernel) -> list[UncoveredIssuer]:
    """Return the issuers on this server who cannot report."""
    environment = Environment(kernel.settings.einvoice_env.value)
    uncovered = []
    for issuer in await accounts.issuers(kernel):
        ctx = await accounts.system_context(kernel, issuer.account_id)
        channel = channels.active(ctx)
        if channel is None:
            continue
        async with ctx.reading() as inner:
            problem = (await authority_access(inner, channel, environment, issuer.tax_id)).problem
        if problem is not None:
            uncovered.append(UncoveredIssuer(issuer=issuer, problem=problem))
    return uncovered


def operator_certificate_limits(countries: Registry, environment: Environment) -> list[OperatorCertificateLimit]:
    """Return the limits of the operator's certificates that do not report for every issuer."""
    channels_here = (channel for country in countries.countries.values() for channel in country.channels)
    certifying = ((channel.id, channel.certifies) for channel in channels_here if channel.certifies is not None)
    return [limit for channel, use in certifying if (limit := _limit_of(channel, use, environment)) is not None]


def _limit_of(channel: str, certifying: Certifying, environment: Environment) -> OperatorCertificateLimit | None:
    certificate, problem = certifying.operators(environment), certifying.of_another(environment, _NOBODY)
    if certificate is None or problem is None:
        return None
    return OperatorCertificateLimit(channel=channel, holder=certificate.holder.tax_id, setting=problem.field)
