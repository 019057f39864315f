"""Regime of an account on a day: as it has stated it, else its country's usual one.

An account's statements are kept by the first day of each (`AccountProfile.regimes`), past and planned ones included, so
that documents of each day know their regime.
"""

from collections.abc import Mapping
from datetime import date, timedelta

from ledgerkit.core.platform.request.context import AccountProfile, Kernel
from ledgerkit.providers.api import InvoicingRegime, InvoicingRegimes
from ledgerkit.texts import Text


def of_country(kernel: Kernel, code: str) -> InvoicingRegimes | None:
    """Return the regimes of a country; None where all issuers report alike."""
    provider = kernel.countries.get(code)
    return None if provider is None else provider.invoicing_regimes


def in_force(kernel: Kernel, account: AccountProfile, day: date | None = None) -> InvoicingRegime | None:
    """Return the account's regime on a day, today by default; None in a country without regimes."""
    offered = of_country(kernel, account.country)
    if offered is None:
        return None
    since = since_when(account.regimes, day or account.today())
    stated = None if since is None else account.regimes[since.isoformat()]
    return next((regime for regime in offered.regimes if regime.key == stated), offered.regimes[0])


def is_recorded(kernel: Kernel, account: AccountProfile) -> bool:
    """Return False today for an account whose regime has its documents reported elsewhere."""
    regime = in_force(kernel, account)
    return regime is None or regime.is_recorded


def duty(kernel: Kernel, account: AccountProfile, day: date | None = None) -> Text | None:
    """Say what the account has to do elsewhere about what it issues on a day; None where ledgerkit makes the record."""
    offered, regime = of_country(kernel, account.country), in_force(kernel, account, day)
    return None if offered is None or regime is None else offered.duty(regime.key, account.party())


def since_when(stated: Mapping[str, str], day: date) -> date | None:
    """Return the first day of the statement in force on `day`; None where nothing had been stated."""
    return max((begin for begin in map(date.fromisoformat, stated) if begin <= day), default=None)


def planned(stated: Mapping[str, str], today: date) -> tuple[date, str] | None:
    """Return the first day and the key of the next regime; None where no change is planned."""
    day = min((begin for begin in map(date.fromisoformat, stated) if begin > today), default=None)
    return None if day is None else (day, stated[day.isoformat()])


def restated(stated: Mapping[str, str], key: str, since: date, today: date) -> dict[str, str]:
    """Return the statements with regime `key` from `since` on, in the place of whatever was planned.

    Stating what holds on the eve withdraws what was planned; a first statement is kept even so.
    """
    begun_days = (day for day in stated if date.fromisoformat(day) <= today and day < since.isoformat())
    statements = {day: stated[day] for day in begun_days}
    eve = since_when(statements, since - timedelta(days=1))
    holds_on_eve = eve is not None and statements[eve.isoformat()] == key
    return statements if holds_on_eve else {**statements, since.isoformat(): key}
