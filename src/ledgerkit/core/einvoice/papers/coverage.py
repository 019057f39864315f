"""For whom the operator's certificate may not report: told to the operator before anybody's invoice is refused."""

from dataclasses import dataclass

from ledgerkit.core.context import Kernel
from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.papers import access
from ledgerkit.core.identity import accounts
from ledgerkit.core.identity.accounts import Issuer
from ledgerkit.providers.api import Certifying, Environment, FieldProblem
from ledgerkit.providers.registry import Registry

_NOBODY = ""
"""An issuer that no certificate is of."""


@dataclass(frozen=True, kw_only=True)
class Uncovered:
    """An issuer who cannot report: the operator's certificate is of another, and there is none of the issuer's own."""

    issuer: Issuer
    problem: FieldProblem


async def uncovered(kernel: Kernel) -> list[Uncovered]:
    """All of them on this server."""
    environment = Environment(kernel.settings.einvoice_env.value)
    found = []
    for issuer in await accounts.issuers(kernel):
        ctx = await accounts.system_context(kernel, issuer.account_id)
        channel = channels.channel_of(ctx)
        if channel is None:
            continue
        async with ctx.reading() as inner:
            way = await access.way_in(inner, channel, environment, issuer.tax_id)
        if way.problem is not None:
            found.append(Uncovered(issuer=issuer, problem=way.problem))
    return found


def limits_of_operators(countries: Registry, environment: Environment) -> list[str]:
    """A sentence for each operator's certificate that does not report for every issuer, with what to do."""
    channels_here = (channel for country in countries.countries.values() for channel in country.channels)
    certifying = ((channel.id, channel.certifies) for channel in channels_here if channel.certifies is not None)
    return [said for name, one in certifying if (said := _limit(name, one, environment)) is not None]


def _limit(channel: str, certifying: Certifying, environment: Environment) -> str | None:
    found, why = certifying.operators(environment), certifying.of_another(environment, _NOBODY)
    if found is None or why is None:
        return None
    holder = found.holder.tax_id
    whom = f"for {holder} only" if holder else "for nobody, since it names no tax identifier"
    others = "any other issuer needs its own (PUT /api/einvoice/certificate)"
    return f"certificate of {channel}: reports {whom}; {others}, or {why.field} says that its holder acts for others"
