"""Which way an account has to its authority."""

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, bilingual, bilingual_field
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


def reporting(ctx: Context) -> FiscalChannel:
    """The way of an account whose e-invoicing is on.

    Raises Invalid EINVOICE_UNSUPPORTED, ISSUER_INCOMPLETE without a tax identifier, EINVOICING_OFF.
    """
    channel = channel_of(ctx)
    if channel is None:
        raise _abroad(ctx) if einvoicing_state.is_on(ctx) else unsupported(ctx)
    if not ctx.account.tax_id:
        raise _nameless(ctx)
    if not einvoicing_state.is_on(ctx):
        raise bilingual(
            Invalid,
            (
                "Electronic invoicing is off: what this team issues gets no fiscal record.",
                "Switch it on with PUT /api/teams/current {einvoicing: on}, then emit again.",
            ),
            (
                "La facturación electrónica está desactivada: lo que expide este equipo no lleva registro.",
                "Actívala con PUT /api/teams/current {einvoicing: on} y vuelve a emitir.",
            ),
            code=Code.EINVOICING_OFF,
        )
    return channel


def active(ctx: Context) -> FiscalChannel | None:
    """The same, and None where e-invoicing is off."""
    return channel_of(ctx) if einvoicing_state.is_on(ctx) else None


def _nameless(ctx: Context) -> Invalid:
    call = "PUT /api/teams/current" if ctx.account.is_team else "POST /api/teams"
    return bilingual_field(
        "issuer.taxId",
        ("the issuer has no tax identifier yet", f"Set it with {call} {{taxId}}, then emit again."),
        ("el emisor todavía no tiene NIF", f"Indícalo con {call} {{taxId}} y vuelve a emitir."),
        code=Code.ISSUER_INCOMPLETE,
    )


def _abroad(ctx: Context) -> Invalid:
    """Of an account that has records, in a country without a channel."""
    country, back, other = ctx.account.country, "PUT /api/teams/current {country}", "POST /api/teams"
    return bilingual(
        Invalid,
        (
            f"This team has fiscal records, and what it issues in {country} cannot be reported: it gets no number.",
            f"Go back to the country of its records ({back}), or create a team for the other one ({other}).",
        ),
        (
            f"Este equipo tiene registros, y lo que expide en {country} no se puede comunicar: no recibe número.",
            f"Vuelve al país de sus registros ({back}), o crea un equipo para el otro ({other}).",
        ),
        code=Code.EINVOICE_UNSUPPORTED,
    )


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
