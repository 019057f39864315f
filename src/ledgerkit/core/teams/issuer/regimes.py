"""A team's regime of invoicing: its statement, its changes from a future day on, and the warnings about it."""

from datetime import date, timedelta

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents import einvoicing_state, regimes
from ledgerkit.core.platform.identity.table import StoredAccountRow
from ledgerkit.core.platform.request.context import AccountProfile, Context, Kernel
from ledgerkit.core.teams.api import StatedRegime, TeamFields
from ledgerkit.core.teams.issuer.einvoicing_choice import with_values
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts import Joined, Text, text


def changed(
    ctx: Context, data: TeamFields, values: Values[StoredAccountRow], old: AccountProfile
) -> Values[StoredAccountRow]:
    """Return the column of regimes as `data` states it, empty where it states none; `values` are the other columns.

    A first statement, before the first record, may hold from any day, today by default. Every later one holds from a
    day to come. The regime with its first day as they were read state nothing.
    Raises Invalid for a regime that the country does not have, and a first day that lacks or has begun.
    """
    if data.regime is None:
        if data.regime_from is not None:
            raise Invalid.field("regimeFrom", TeamsMsg.REGIME_FROM_ALONE)
        return Values(StoredAccountRow)
    new = with_values(old, values)
    _check_offered(ctx.kernel, data.regime, new.country)
    today = new.today()
    regime = regimes.in_force(ctx.kernel, new, today)
    holds_already = regime is not None and regime.key == data.regime
    if holds_already and "regime_from" in data.model_fields_set:
        if data.regime_from == regimes.since_when(old.regimes, today):
            return Values(StoredAccountRow)
    elif holds_already:
        return Values(StoredAccountRow, regimes=regimes.restated(old.regimes, data.regime, today, today))
    since = _first_day(ctx.kernel, data.regime_from, new, today)
    return Values(StoredAccountRow, regimes=regimes.restated(old.regimes, data.regime, since, today))


def warnings(kernel: Kernel, team: AccountProfile) -> list[Text]:
    """Return the team's duties elsewhere under its regime, a planned change, or a proposed regime."""
    offered = regimes.of_country(kernel, team.country)
    if offered is None:
        return []
    if not team.regimes:
        proposal = offered.proposal(team.party())
        return [] if proposal is None else [proposal.text]
    duty = regimes.duty(kernel, team)
    return [*([] if duty is None else [duty]), *_planned(kernel, team)]


def shown(kernel: Kernel, team: AccountProfile) -> dict[str, object]:
    """Return the fields of a team that show its regime in force, and all that it has stated."""
    regime = regimes.in_force(kernel, team)
    return {
        "regime": None if regime is None else regime.key,
        "regime_from": regimes.since_when(team.regimes, team.today()),
        "regimes": [
            StatedRegime(regime=key, since=date.fromisoformat(day)) for day, key in sorted(team.regimes.items())
        ],
    }


def _planned(kernel: Kernel, team: AccountProfile) -> list[Text]:
    plan = regimes.planned(team.regimes, team.today())
    regime = None if plan is None else regimes.in_force(kernel, team, plan[0])
    if plan is None or regime is None:
        return []
    duty = regimes.duty(kernel, team, plan[0])
    announcement = text(TeamsMsg.REGIME_PLANNED, day=plan[0], regime=regime.name)
    return [announcement] if duty is None else [Joined([announcement, duty], " ")]


def _check_offered(kernel: Kernel, key: str, country: str) -> None:
    offered = regimes.of_country(kernel, country)
    if offered is None:
        raise Invalid.field("regime", TeamsMsg.REGIMES_NOT_IN_COUNTRY, country=country)
    keys = [regime.key for regime in offered.regimes]
    if key not in keys:
        raise Invalid.field("regime", TeamsMsg.REGIME_UNKNOWN, regimes=", ".join(keys))


def _first_day(kernel: Kernel, stated: date | None, team: AccountProfile, today: date) -> date:
    """Return the day from which another regime holds; a free choice until there are records or documents of one."""
    since = regimes.since_when(team.regimes, today)
    if not einvoicing_state.has_started(kernel, team) and (since is None or since == today):
        return stated or today
    earliest = today + timedelta(days=1)
    if stated is None:
        raise Invalid.field("regimeFrom", TeamsMsg.REGIME_FROM_NEEDED, earliest=earliest)
    if stated < earliest:
        raise Invalid.field("regimeFrom", TeamsMsg.REGIME_FROM_BEGUN, earliest=earliest)
    return stated
