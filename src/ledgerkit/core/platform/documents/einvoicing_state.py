"""State of e-invoicing for an account: on when its documents get a fiscal record with their number, else off."""

from enum import StrEnum
from typing import Literal

from ledgerkit.core.platform.documents import regimes
from ledgerkit.core.platform.request.context import AccountProfile, Context, Kernel
from ledgerkit.providers.api import Obligation
from ledgerkit.settings import EInvoiceEnvironment

State = Literal["on", "off"]


class Off(StrEnum):
    """Reason for which an account's documents get no fiscal record."""

    CHOSEN = "chosen"
    NO_TAX_ID = "no_tax_id"
    NO_CHANNEL = "no_channel"
    REGIME = "regime"


def reason_without_records(kernel: Kernel, account: AccountProfile) -> Off | None:
    """Return the reason for which e-invoicing is off for `account`; None while it is on.

    E-invoicing is on for an account with a tax identifier in a country with a channel, unless the account has chosen
    otherwise; and for good once the account has a record in the environment to which this server reports. From the day
    on which the law obliges the issuer, its choice to be off does not count any more. While its regime has its
    documents reported elsewhere they get no record, whatever it has chosen and recorded before.
    """
    if not regimes.is_recorded(kernel, account):
        return Off.REGIME if account.tax_id else Off.NO_TAX_ID
    if has_started(kernel, account):
        return None
    if not has_channel(kernel, account.country):
        return Off.NO_CHANNEL
    if not account.tax_id:
        return Off.NO_TAX_ID
    is_left_out = account.einvoicing == "off" and not is_obliged(kernel, account)
    return Off.CHOSEN if is_left_out else None


def is_on(ctx: Context) -> bool:
    """Return True when a document that is numbered now gets a fiscal record."""
    return reason_without_records(ctx.kernel, ctx.account) is None


def documents_sales(ctx: Context) -> bool:
    """Return True where a till makes a document of each sale: with its record, or for a regime of records elsewhere."""
    return reason_without_records(ctx.kernel, ctx.account) in {None, Off.REGIME}


def state(kernel: Kernel, account: AccountProfile) -> State:
    """Return the state of e-invoicing as the team's profile shows it: `on` or `off`."""
    return "on" if reason_without_records(kernel, account) is None else "off"


def has_started(kernel: Kernel, account: AccountProfile) -> bool:
    """Return True when the account has a fiscal record in the environment to which this server reports."""
    return kernel.settings.einvoice_env.value in account.recorded_in


def has_channel(kernel: Kernel, country: str) -> bool:
    """Return True when a plug-in of this country can report documents to an authority."""
    provider = kernel.countries.get(country)
    return provider is not None and bool(provider.channels)


def may_number(kernel: Kernel, account: AccountProfile) -> bool:
    """Return False for an issuer without a tax identifier, whose documents are no invoices, outside the sandbox.

    In a country without a channel no environment tells trials from the real thing, and nothing is refused (ADR 40).
    Source: RD 1619/2012 arts. 6.1.c and 7.1.d.
    """
    is_trial = kernel.settings.einvoice_env is EInvoiceEnvironment.SANDBOX
    return is_trial or bool(account.tax_id) or not has_channel(kernel, account.country)


def obligation_of(kernel: Kernel, account: AccountProfile) -> Obligation | None:
    """Return the duty of the account to report, with its day and source; None where its country names none for it."""
    provider = kernel.countries.get(account.country)
    channel = provider.channels[0] if provider is not None and provider.channels else None
    if channel is None or channel.declares is None:
        return None
    return channel.declares.obligation_of(account.party())


def is_obliged(kernel: Kernel, account: AccountProfile) -> bool:
    """Return True from the day, at the account's place, on which the law in force obliges it to report."""
    obligation = obligation_of(kernel, account)
    return obligation is not None and obligation.since <= account.today()
