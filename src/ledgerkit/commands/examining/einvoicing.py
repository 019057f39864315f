"""Check that fiscal records can be made and sent in the chosen environment."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime

from ledgerkit.commands.examining.findings import Finding, Weight, advised, good, missing, of_field
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access, expiry
from ledgerkit.core.einvoice.certificates.table import CertificateRow
from ledgerkit.core.einvoice.chain import lost_numbers
from ledgerkit.core.einvoice.inspection import unrecorded
from ledgerkit.core.operation.going_live.readiness import lacks as readiness
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.accounts.profiles import IssuerRow
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.teams.issuer import einvoicing_choice as choices
from ledgerkit.core.teams.issuer import regimes
from ledgerkit.providers.api import (
    SETTING_MISSING,
    SETTING_WRONG,
    Declaration,
    Environment,
    FieldProblem,
    FiscalChannel,
)
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import EInvoiceEnvironment
from ledgerkit.texts import Text, text

SOON_DAYS = 30


def of_operator(registry: Registry, environment: Environment) -> Iterator[Finding]:
    """Check the operator's configuration: countries, settings, the declaration, certificates. Needs no database."""
    for broken in registry.broken:
        yield missing(DoctorMsg.COUNTRY_BROKEN, distribution=broken.distribution, reason=broken.reason)
    ways = [way for country in registry.countries.values() for way in country.channels]
    names = ", ".join(way.title for way in ways) or "-"
    yield good(DoctorMsg.EINVOICING_GOOD, environment=environment.value, names=names)
    for channel in ways:
        lacking = _lacking(channel, environment)
        yield from (of_field(DoctorMsg.EINVOICING, obstacle) for obstacle in lacking)
        yield from _declaration(channel, environment, {obstacle.field for obstacle in lacking})
    refused = {channel.id for channel in ways if channel.certifies and channel.certifies.self_signed(environment)}
    for name, operator_certificate in expiry.operator_certificates(registry, environment).items():
        if name not in refused:
            yield certificate(name, operator_certificate.holder.name, operator_certificate.valid_until)
    for limit in access.operator_certificate_limits(registry, environment):
        yield _limited(limit)


def before_production(registry: Registry, environment: Environment) -> Iterator[Finding]:
    """List what keeps this server from issuing real documents, for its start; nothing outside of production."""
    if environment is Environment.PRODUCTION:
        for channel in (way for country in registry.countries.values() for way in country.channels):
            yield from (of_field(DoctorMsg.NOT_ISSUING, obstacle) for obstacle in _lacking(channel, environment))


async def of_issuers(kernel: Kernel) -> AsyncIterator[Finding]:
    """List the deficiencies of each account with a tax identifier."""
    environment = Environment(kernel.settings.einvoice_env.value)
    all_issuers = await accounts.issuers(kernel)
    if not all_issuers:
        for finding in without_issuers(kernel.countries, environment):
            yield finding
    without: dict[str, tuple[FiscalChannel, list[IssuerRow]]] = {}
    for issuer in all_issuers:
        ctx = await accounts.system_context(kernel, issuer.account_id)
        async with ctx.reading() as inner:
            own_certificate, findings = await access.own_certificate(inner), await _of_issuer(inner, issuer)
        for finding in findings:
            yield finding
        channel = channels.active(ctx)
        if own_certificate is not None:
            yield _of_own(ctx, environment, issuer, own_certificate)
        elif channel is not None:
            without.setdefault(channel.id, (channel, []))[1].append(issuer)
    for uncovered in await access.uncovered_issuers(kernel):
        yield of_field(text(DoctorMsg.EINVOICING_OF, names=_name(uncovered.issuer)), uncovered.problem)
    for channel, issuers in without.values():
        for problem in _without_own(channel, environment):
            yield _of_some(problem, issuers)


async def of_trials(kernel: Kernel) -> list[Finding]:
    """List accounts that keep production from starting, and those whose trial lies among their real records."""
    if kernel.settings.einvoice_env is not EInvoiceEnvironment.PRODUCTION:
        return []
    findings = []
    tried = await trials.tried_accounts(kernel)
    if tried:
        findings.append(missing(DoctorMsg.TRIALS_LEFT, accounts=readiness.names(tried), command=readiness.COMMAND))
    mixed = await trials.mixed_accounts(kernel)
    if mixed:
        findings.append(advised(DoctorMsg.TRIALS_BESIDE, accounts=readiness.names(mixed)))
    return findings


def _of_own(ctx: Context, environment: Environment, issuer: IssuerRow, own_certificate: CertificateRow) -> Finding:
    """Report an account's certificate: the last day, or that nobody vouches for it, which only the sandbox bears."""
    channel = channels.channel_of(ctx)
    problem = None if channel is None else access.self_signed(ctx, channel, environment, own_certificate)
    if problem is None:
        return certificate(_name(issuer), own_certificate.holder, own_certificate.valid_to)
    weight = Weight.ADVISED if environment is Environment.SANDBOX else Weight.MISSING
    return of_field(text(DoctorMsg.EINVOICING_OF, names=_name(issuer)), problem, weight)


async def _of_issuer(ctx: Context, issuer: IssuerRow) -> list[Finding]:
    """List documents without a record, what a restore has done to the numbers, and what will be recorded when."""
    owed = (await unrecorded.list_unrecorded(ctx)).count
    of_profile = [*choices.warnings(ctx.kernel, ctx.account), *regimes.warnings(ctx.kernel, ctx.account)]
    warnings = [*await lost_numbers.recent(ctx), *of_profile]
    warned = [advised(DoctorMsg.OF_ISSUER, issuer=_name(issuer), message=warning) for warning in warnings]
    return [*([_owed(issuer, owed)] if owed else []), *warned]


def without_issuers(registry: Registry, environment: Environment) -> Iterator[Finding]:
    """List the deficiencies of accounts without a certificate of their own, where there are no accounts yet."""
    for channel in (way for country in registry.countries.values() for way in country.channels):
        yield from (
            of_field(DoctorMsg.EINVOICING, obstacle, Weight.ADVISED) for obstacle in _without_own(channel, environment)
        )


def _lacking(channel: FiscalChannel, environment: Environment) -> list[FieldProblem]:
    """List the settings without which nobody can report, and those of the operator's that cannot be used."""
    never_without = _never_without(channel, environment)
    named = {obstacle.field for obstacle in never_without}
    return never_without + [obstacle for obstacle in _unusable(channel, environment) if obstacle.field not in named]


def _never_without(channel: FiscalChannel, environment: Environment) -> list[FieldProblem]:
    """List the settings without which nobody can report. Wrong values are reported with the settings."""
    return [obstacle for obstacle in channel.ready(environment, own_certificate=True) if obstacle.code != SETTING_WRONG]


def _unusable(channel: FiscalChannel, environment: Environment) -> list[FieldProblem]:
    """List the operator's settings that cannot be used, as a certificate with a wrong password."""
    return [
        obstacle for obstacle in channel.ready(environment) if obstacle.code not in {SETTING_MISSING, SETTING_WRONG}
    ]


def _without_own(channel: FiscalChannel, environment: Environment) -> list[FieldProblem]:
    """List the settings that are missing only for accounts without a certificate of their own."""
    always_missing = {obstacle.field for obstacle in _never_without(channel, environment)}
    return [
        obstacle
        for obstacle in channel.ready(environment)
        if obstacle.field not in always_missing and obstacle.code == SETTING_MISSING
    ]


def _declaration(channel: FiscalChannel, environment: Environment, reported_fields: set[str]) -> Iterator[Finding]:
    """List what the producer's declaration lacks where nothing is real; in production it is missing already."""
    declaration = None if channel.declares is None else channel.declares.declaration(environment)
    if declaration is None or isinstance(declaration, Declaration):
        return
    yield from (
        of_field(DoctorMsg.PRODUCER_DECLARATION, sentence, Weight.ADVISED)
        for sentence in declaration
        if sentence.field not in reported_fields
    )


def certificate(whose: str, holder: str, end: datetime) -> Finding:
    """Report the last day of a certificate."""
    days, day = access.days_left(end), f"{end:%Y-%m-%d}"
    if days < 0:
        return missing(DoctorMsg.CERTIFICATE_EXPIRED, owner=whose, holder=holder, day=day)
    if days <= SOON_DAYS:
        return advised(DoctorMsg.CERTIFICATE_ENDING, owner=whose, holder=holder, day=day, days=days)
    return good(DoctorMsg.CERTIFICATE, owner=whose, holder=holder, day=day, days=days)


def _limited(limit: access.OperatorCertificateLimit) -> Finding:
    issuer: Text = text(DoctorMsg.REPORTS_FOR_NOBODY)
    if limit.holder:
        issuer = text(DoctorMsg.REPORTS_FOR_HOLDER, holder=limit.holder)
    return advised(DoctorMsg.CERTIFICATE_LIMITED, channel=limit.channel, issuer=issuer, setting=limit.setting)


def _owed(issuer: IssuerRow, count: int) -> Finding:
    command = f"ledgerkit verifactu verify --account {issuer.account_id}"
    return missing(DoctorMsg.RECORDS_OWED, issuer=_name(issuer), count=count, command=command)


def _of_some(problem: FieldProblem, issuers: Sequence[IssuerRow]) -> Finding:
    names = ", ".join(map(_name, issuers[:5])) + (", ..." if issuers[5:] else "")
    return of_field(text(DoctorMsg.EINVOICING_OF, names=names), problem)


def _name(issuer: IssuerRow) -> str:
    return f"{issuer.name} ({issuer.tax_id})"
