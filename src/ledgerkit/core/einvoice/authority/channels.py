"""Channels: how an account reports to its authority, and the errors when it has no channel."""

from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.platform.documents import einvoicing_state, regimes
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import FiscalChannel


def channel_of(ctx: Context) -> FiscalChannel | None:
    """Return the account's channel; None where its country has none on this server."""
    return ctx.country.channels[0] if ctx.country and ctx.country.channels else None


def required(ctx: Context) -> FiscalChannel:
    """Return the account's channel. Raises Invalid EINVOICE_UNSUPPORTED when its country has none on this server."""
    channel = channel_of(ctx)
    if channel is None:
        raise unsupported(ctx)
    return channel


def reporting(ctx: Context) -> FiscalChannel:
    """Return the channel of an account whose e-invoicing is on.

    Raises Invalid EINVOICE_UNSUPPORTED, ISSUER_INCOMPLETE without a tax identifier, EINVOICING_OFF.
    """
    channel = channel_of(ctx)
    if channel is None:
        raise _country_of_records_left(ctx) if einvoicing_state.is_on(ctx) else unsupported(ctx)
    if not ctx.account.tax_id:
        raise Invalid.field(
            "issuer.taxId", EInvoiceMsg.ISSUER_WITHOUT_TAX_ID, code=Code.ISSUER_INCOMPLETE, call=_profile(ctx)
        )
    if not regimes.is_recorded(ctx.kernel, ctx.account):
        raise _of_other_regime(ctx)
    if not einvoicing_state.is_on(ctx):
        raise Invalid(EInvoiceMsg.OFF, code=Code.EINVOICING_OFF)
    return channel


def require_issuer(ctx: Context) -> None:
    """Raise Invalid ISSUER_INCOMPLETE for an account whose documents would be no invoices (`may_number`)."""
    if not einvoicing_state.may_number(ctx.kernel, ctx.account):
        raise Invalid.field(
            "issuer.taxId", EInvoiceMsg.NO_NUMBER_WITHOUT_TAX_ID, code=Code.ISSUER_INCOMPLETE, call=_profile(ctx)
        )


def active(ctx: Context) -> FiscalChannel | None:
    """Return the account's channel; None if it has none, or if e-invoicing is off and always was.

    Records that were made before the account's regime changed are still sent, shown and corrected.
    """
    has_records = einvoicing_state.has_started(ctx.kernel, ctx.account)
    return channel_of(ctx) if has_records or einvoicing_state.is_on(ctx) else None


def _profile(ctx: Context) -> str:
    """Return the call that gives the account a tax identifier."""
    return "PUT /api/teams/current" if ctx.account.is_team else "POST /api/teams"


def _of_other_regime(ctx: Context) -> Invalid:
    """Return the error for an account whose regime has its documents reported elsewhere."""
    regime = regimes.in_force(ctx.kernel, ctx.account)
    return Invalid(
        EInvoiceMsg.OF_OTHER_REGIME,
        code=Code.EINVOICING_OFF,
        regime=None if regime is None else regime.name,
        duty=regimes.duty(ctx.kernel, ctx.account),
    )


def _country_of_records_left(ctx: Context) -> Invalid:
    """Return the error for an account that has records and moved to a country without a channel."""
    return Invalid(
        EInvoiceMsg.COUNTRY_OF_RECORDS_LEFT,
        code=Code.EINVOICE_UNSUPPORTED,
        country=ctx.account.country,
        back="PUT /api/teams/current {country}",
        other="POST /api/teams",
    )


def unsupported(ctx: Context) -> Invalid:
    """Return Invalid EINVOICE_UNSUPPORTED for the account's country."""
    return Invalid(EInvoiceMsg.COUNTRY_UNSUPPORTED, code=Code.EINVOICE_UNSUPPORTED, country=ctx.account.country)
