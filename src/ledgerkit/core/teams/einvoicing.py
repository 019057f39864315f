"""A team's choice of e-invoicing: off before its first record only, on where documents can be reported."""

from collections.abc import Mapping
from dataclasses import replace

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.documents.einvoicing_state import Off
from ledgerkit.core.request.context import AccountProfile, Context
from ledgerkit.core.teams.messages import TeamsMsg
from ledgerkit.problems import Code, Conflict, Invalid


def initial_profile(ctx: Context) -> AccountProfile:
    """Return the profile of a new team before its own values are set."""
    return replace(ctx.account, tax_id=None, einvoicing="on", recorded_in=())


def check(ctx: Context, values: Mapping[str, object], old: AccountProfile) -> None:
    """Refuse column values that the profile `old` may not take.

    Raises Conflict EINVOICING_STARTED for `off` after the first record, Invalid for `on` where it cannot be on.
    """
    choice = values.get("einvoicing")
    if choice == "off" and einvoicing_state.has_started(ctx.kernel, old):
        raise Conflict(TeamsMsg.FISCAL_RECORDS_EXIST, code=Code.EINVOICING_STARTED)
    new = _with_values(old, values)
    reason = einvoicing_state.off_because(ctx.kernel, new)
    if choice == "on" and reason is not None:
        raise _impossible(reason, new.country)


def _with_values(profile: AccountProfile, values: Mapping[str, object]) -> AccountProfile:
    country = str(values.get("country", profile.country))
    tax_id = values.get("tax_id", profile.tax_id)
    einvoicing = str(values.get("einvoicing", profile.einvoicing))
    return replace(profile, country=country, tax_id=None if tax_id is None else str(tax_id), einvoicing=einvoicing)


def _impossible(reason: Off, country: str) -> Invalid:
    if reason is Off.NO_TAX_ID:
        return Invalid.field("einvoicing", TeamsMsg.EINVOICING_NEEDS_TAX_ID, code=Code.ISSUER_INCOMPLETE)
    return Invalid.field(
        "einvoicing", TeamsMsg.EINVOICING_NOT_IN_COUNTRY, code=Code.EINVOICE_UNSUPPORTED, country=country
    )
