"""Issuers for whom this server may not report: shown to the operator before any invoice is refused."""

from dataclasses import dataclass

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.profiles import IssuerRow
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.providers.api import Certifying, Environment, FieldProblem
from ledgerkit.providers.registry import Registry

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
    """Return all such issuers of this server."""
    environment = Environment(kernel.settings.einvoice_env.value)
    uncovered = []
    for issuer in await accounts.issuers(kernel):
        ctx = await accounts.system_context(kernel, issuer.account_id)
        channel = channels.active(ctx)
        if channel is None:
            continue
        async with ctx.reading() as inner:
            authority_access = await access.authority_access(inner, channel, environment, issuer.tax_id)
        if authority_access.problem is not None:
            uncovered.append(UncoveredIssuer(issuer=issuer, problem=authority_access.problem))
    return uncovered


def operator_certificate_limits(countries: Registry, environment: Environment) -> list[OperatorCertificateLimit]:
    """Return the limits of the operator's certificates that do not report for every issuer."""
    channels_here = (channel for country in countries.countries.values() for channel in country.channels)
    certifying = ((channel.id, channel.certifies) for channel in channels_here if channel.certifies is not None)
    return [limit for channel, use in certifying if (limit := _limit(channel, use, environment)) is not None]


def _limit(channel: str, certifying: Certifying, environment: Environment) -> OperatorCertificateLimit | None:
    certificate, problem = certifying.operators(environment), certifying.of_another(environment, _NOBODY)
    if certificate is None or problem is None:
        return None
    return OperatorCertificateLimit(channel=channel, holder=certificate.holder.tax_id, setting=problem.field)
