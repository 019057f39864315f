"""For whom the operator's certificate may not report: told to the operator before anybody's invoice is refused."""

from dataclasses import dataclass

from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.identity import accounts
from ledgerkit.core.identity.accounts import Issuer
from ledgerkit.core.request.context import Kernel
from ledgerkit.providers.api import Certifying, Environment, FieldProblem
from ledgerkit.providers.registry import Registry

_NOBODY = ""
"""An issuer that no certificate is of."""


@dataclass(frozen=True, kw_only=True)
class UncoveredIssuer:
    """An issuer who cannot report: its own certificate is of another; or it has none, and the operator's is."""

    issuer: Issuer
    problem: FieldProblem


@dataclass(frozen=True, kw_only=True)
class OperatorCertificateLimit:
    """An operator's certificate that reports for `holder` only, or for nobody; `setting` says for whom else."""

    channel: str
    holder: str | None
    setting: str


async def uncovered_issuers(kernel: Kernel) -> list[UncoveredIssuer]:
    """All of them on this server."""
    environment = Environment(kernel.settings.einvoice_env.value)
    found = []
    for issuer in await accounts.issuers(kernel):
        ctx = await accounts.system_context(kernel, issuer.account_id)
        channel = channels.active(ctx)
        if channel is None:
            continue
        async with ctx.reading() as inner:
            way = await access.authority_access(inner, channel, environment, issuer.tax_id)
        if way.problem is not None:
            found.append(UncoveredIssuer(issuer=issuer, problem=way.problem))
    return found


def operator_certificate_limits(countries: Registry, environment: Environment) -> list[OperatorCertificateLimit]:
    """The operator's certificates that do not report for every issuer."""
    channels_here = (channel for country in countries.countries.values() for channel in country.channels)
    certifying = ((channel.id, channel.certifies) for channel in channels_here if channel.certifies is not None)
    return [found for name, one in certifying if (found := _limit(name, one, environment)) is not None]


def _limit(channel: str, certifying: Certifying, environment: Environment) -> OperatorCertificateLimit | None:
    found, why = certifying.operators(environment), certifying.of_another(environment, _NOBODY)
    if found is None or why is None:
        return None
    return OperatorCertificateLimit(channel=channel, holder=found.holder.tax_id, setting=why.field)
