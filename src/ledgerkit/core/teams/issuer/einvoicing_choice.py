"""A team's choice of e-invoicing: off before its first record and its legal duty, on where it can report."""

from dataclasses import replace

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import einvoicing_state, regimes
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.identity.table import StoredAccountRow
from ledgerkit.core.platform.request.context import AccountProfile, Context, Kernel
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Code, Conflict, Invalid
from ledgerkit.texts import Text, text


def initial_profile(ctx: Context) -> AccountProfile:
    """Return the profile of a new team before its own values are set."""
    return replace(ctx.account, tax_id=None, einvoicing="on", regimes={}, recorded_in=())


def check(ctx: Context, values: Values[StoredAccountRow], old: AccountProfile) -> None:
    """Refuse column values that the profile `old` may not take.

    Raises Conflict EINVOICING_STARTED for `off` after the first record, EINVOICING_OBLIGED for `off` from the day on
    which the law obliges the team; Invalid for `on` where it cannot be on.
    """
    choice = values.of(StoredAccountRow.einvoicing, "")
    new = with_values(old, values)
    if choice == "off" and regimes.is_recorded(ctx.kernel, new):
        _check_off(ctx, new)
    reason = einvoicing_state.reason_without_records(ctx.kernel, new)
    if choice == "on" and reason is not None:
        raise _impossible(reason, new.country)


def warnings(kernel: Kernel, team: AccountProfile) -> list[Text]:
    """Warn a team that chose `off` of the day on which its choice ends, before it and after it."""
    obligation = einvoicing_state.obligation_of(kernel, team)
    is_left_out = team.einvoicing == "off" and not einvoicing_state.has_started(kernel, team)
    if obligation is None or not is_left_out or not regimes.is_recorded(kernel, team):
        return []
    message = TeamsMsg.OFF_HAS_ENDED if einvoicing_state.is_obliged(kernel, team) else TeamsMsg.OFF_ENDS
    return [text(message, day=obligation.since, source=obligation.source)]


def with_values(profile: AccountProfile, values: Values[StoredAccountRow]) -> AccountProfile:
    """Return the profile with those of the column values that decide on e-invoicing."""
    row = StoredAccountRow
    return replace(
        profile,
        regimes=values.of(row.regimes, profile.regimes),
        country=values.of(row.country, profile.country),
        tax_id=values.of(row.tax_id, profile.tax_id),
        einvoicing=values.of(row.einvoicing, profile.einvoicing),
        time_zone=values.of(row.time_zone, profile.time_zone),
    )


def _check_off(ctx: Context, new: AccountProfile) -> None:
    if einvoicing_state.has_started(ctx.kernel, new):
        raise Conflict(TeamsMsg.FISCAL_RECORDS_EXIST, code=Code.EINVOICING_STARTED)
    obligation = einvoicing_state.obligation_of(ctx.kernel, new)
    if obligation is not None and einvoicing_state.is_obliged(ctx.kernel, new):
        raise Conflict(
            TeamsMsg.OBLIGED,
            code=Code.EINVOICING_OBLIGED,
            who=obligation.who,
            day=obligation.since,
            source=obligation.source,
        )


def _impossible(reason: Off, country: str) -> Invalid:
    if reason is Off.NO_TAX_ID:
        return Invalid.field("einvoicing", TeamsMsg.EINVOICING_NEEDS_TAX_ID, code=Code.ISSUER_INCOMPLETE)
    if reason is Off.REGIME:
        return Invalid.field("einvoicing", TeamsMsg.EINVOICING_NOT_UNDER_REGIME, code=Code.EINVOICE_UNSUPPORTED)
    return Invalid.field(
        "einvoicing", TeamsMsg.EINVOICING_NOT_IN_COUNTRY, code=Code.EINVOICE_UNSUPPORTED, country=country
    )
