"""Which way an account has to its authority."""

from ledgerkit.core.context import Context
from ledgerkit.problems import Code, Invalid, bilingual
from ledgerkit.providers.api import FiscalChannel


def channel_of(ctx: Context) -> FiscalChannel | None:
    """The account's way to its authority; None where its country has none here."""
    return ctx.country.channels[0] if ctx.country and ctx.country.channels else None


def required(ctx: Context) -> FiscalChannel:
    """The same. Raises Invalid EINVOICE_UNSUPPORTED when its country has none here."""
    channel = channel_of(ctx)
    if channel is None:
        raise unsupported(ctx)
    return channel


def unsupported(ctx: Context) -> Invalid:
    country = ctx.account.country
    return bilingual(
        Invalid,
        (
            f"There is no electronic invoicing for the country {country} on this server.",
            "GET /api/einvoice/providers lists the countries; install a country's package to add it.",
        ),
        (
            f"En este servidor no hay facturación electrónica para el país {country}.",
            "GET /api/einvoice/providers muestra los países; para añadir uno se instala su paquete.",
        ),
        code=Code.EINVOICE_UNSUPPORTED,
    )
