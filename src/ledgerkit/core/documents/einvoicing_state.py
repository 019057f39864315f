"""State of e-invoicing for an account: on when its documents get a fiscal record with their number, else off."""

from enum import StrEnum
from typing import Literal

from ledgerkit.core.request.context import AccountProfile, Context, Kernel

State = Literal["on", "off"]


class Off(StrEnum):
    """Reason for which an account's documents get no fiscal record."""

    CHOSEN = "chosen"
    NO_TAX_ID = "no_tax_id"
    NO_CHANNEL = "no_channel"


def off_because(kernel: Kernel, account: AccountProfile) -> Off | None:
    """Return the reason for which e-invoicing is off for `account`; None while it is on.

    E-invoicing is on for an account with a tax identifier in a country with a channel, unless the account has chosen
    otherwise; and for good once the account has a record in the environment to which this server reports.
    """
    if has_started(kernel, account):
        return None
    if not account.tax_id:
        return Off.NO_TAX_ID
    if not has_channel(kernel, account.country):
        return Off.NO_CHANNEL
    return Off.CHOSEN if account.einvoicing == "off" else None


def is_on(ctx: Context) -> bool:
    """Return True when a document that is numbered now gets a fiscal record."""
    return off_because(ctx.kernel, ctx.account) is None


def state(kernel: Kernel, account: AccountProfile) -> State:
    """Return the state of e-invoicing as the team's profile shows it: `on` or `off`."""
    return "on" if off_because(kernel, account) is None else "off"


def has_started(kernel: Kernel, account: AccountProfile) -> bool:
    """Return True when the account has a fiscal record in the environment to which this server reports."""
    return kernel.settings.einvoice_env.value in account.recorded_in


def has_channel(kernel: Kernel, country: str) -> bool:
    """Return True when a plug-in of this country can report documents to an authority."""
    provider = kernel.countries.get(country)
    return provider is not None and bool(provider.channels)
