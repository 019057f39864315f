"""Series of a team: apart from those of other accounts with its tax identifier, and of its own earlier identifiers.

docs/teams.md says what teams see of it.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import update

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents.series import prefix
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.accounts.issuer_series import SeriesIssuer
from ledgerkit.core.platform.identity.table import StoredAccountRow, account
from ledgerkit.core.platform.request.context import AccountProfile, Context
from ledgerkit.core.teams.api import Series, TeamFields
from ledgerkit.core.teams.texts import TeamsMsg
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import DocumentKind
from ledgerkit.texts import Text, text

_FIELDS = {
    DocumentKind.INVOICE: "series.invoice",
    DocumentKind.SIMPLIFIED: "series.simplified",
    DocumentKind.CREDIT_NOTE: "series.creditNote",
}


class SettledSeries(NamedTuple):
    """The columns that have been written of a team, with the names of its series, and warnings about the names."""

    values: Values[StoredAccountRow]
    warnings: list[str]


async def settle(
    ctx: Context, account_id: UUID, data: TeamFields, values: Values[StoredAccountRow], before: AccountProfile | None
) -> SettledSeries:
    """Keep the series of a team apart from those of other accounts; write a name that has to be another one.

    `values` are the columns that have just been written of the account, and `before` the team as it was, None for a
    new one. Raises Invalid SERIES_TAKEN for a stated series.
    """
    series = _TeamSeries(ctx, account_id, values, before)
    old_prefixes = dict(series.prefixes)
    await series.settle(data.series)
    if series.prefixes != old_prefixes:
        values |= Values(StoredAccountRow, series=series.prefixes)
        await ctx.db.execute(update(account).where(account.c.id == account_id).values(series=series.prefixes))
    return SettledSeries(values, [warning.in_language(ctx.request_metadata.language) for warning in series.warnings])


async def warnings(ctx: Context, team: AccountProfile) -> list[str]:
    """Return a warning for each series of a team that another account with its tax identifier holds."""
    if not team.tax_id:
        return []
    country = ctx.kernel.countries.get(team.country)
    names = [prefix(team.series, country, kind) for kind in DocumentKind]
    issuer = SeriesIssuer(account_id=team.id, country=team.country, tax_id=team.tax_id)
    names_of_others = sorted(await issuer_series.held_by_others(ctx.db, issuer, names))
    return [_shared(name).in_language(ctx.request_metadata.language) for name in names_of_others]


class _TeamSeries:
    """The series that a team is about to have, with the tax identifier that it is about to have.

    `before`: the team as it is; None for a new one.
    """

    def __init__(
        self, ctx: Context, account_id: UUID, values: Values[StoredAccountRow], before: AccountProfile | None
    ) -> None:
        self._ctx = ctx
        self._before = before
        row = StoredAccountRow
        self._country = values.of(row.country, "" if before is None else before.country)
        tax_id = values.of(row.tax_id, None if before is None else before.tax_id)
        self._issuer = (
            None if tax_id is None else SeriesIssuer(account_id=account_id, country=self._country, tax_id=tax_id)
        )
        self.account_id = account_id
        self.prefixes = dict(values.of(row.series, {} if before is None else before.series))
        self.warnings: list[Text] = []

    async def settle(self, stated: Series | None) -> None:
        """Hold the team's series; take another name for one that cannot be the issuer's, and note a warning.

        A series of documents that have numbers already, shared since before accounts were kept apart, keeps its name.
        Raises Invalid SERIES_TAKEN for a stated series that is taken.
        """
        if self._issuer is not None:
            taken_kinds = [kind for kind in DocumentKind if not await self._has(self._issuer, kind)]
            self._require_unstated(taken_kinds, stated)
            for kind in taken_kinds:
                await self._rename(self._issuer, kind)
        names = [self._prefix(kind) for kind in DocumentKind]
        await issuer_series.release_unused(self._ctx.db, self.account_id, self._issuer, names)

    async def _has(self, issuer: SeriesIssuer, kind: DocumentKind) -> bool:
        """Return True for a series that the team may have. The names are taken in one order, whatever the kind."""
        name = self._prefix(kind)
        if await issuer_series.hold(self._ctx.db, issuer, name):
            return True
        if not self._is_as_before(issuer, kind):
            return False
        self.warnings.append(_shared(name))
        return True

    def _is_as_before(self, issuer: SeriesIssuer, kind: DocumentKind) -> bool:
        """Return True when neither the series nor the tax identifier changes."""
        before = self._before
        is_same_issuer = before is not None and (before.country, before.tax_id) == (issuer.country, issuer.tax_id)
        return is_same_issuer and self._prefix_before(kind) == self._prefix(kind)

    def _require_unstated(self, kinds: Sequence[DocumentKind], stated: Series | None) -> None:
        """Raise Invalid naming each taken series that the caller states, and that was not the team's already."""
        chosen = {} if stated is None else stated.model_dump(exclude_none=True)
        errors = [
            FieldError.of(_FIELDS[kind], "taken", TeamsMsg.SERIES_TAKEN, series=self._prefix(kind))
            for kind in kinds
            if kind.value in chosen and chosen[kind.value] != self._prefix_before(kind)
        ]
        if errors:
            raise Invalid(
                TeamsMsg.STATED_SERIES_TAKEN, code=Code.SERIES_TAKEN, errors=errors, remedy=TeamsMsg.CHOOSE_SERIES
            )

    async def _rename(self, issuer: SeriesIssuer, kind: DocumentKind) -> None:
        old_name = self._prefix(kind)
        avoided = {self._prefix(other) for other in DocumentKind}
        message = TeamsMsg.SERIES_RENAMED
        name = old_name
        if await issuer_series.of_other_identifiers(self._ctx.db, issuer, [old_name]):
            message = TeamsMsg.SERIES_OF_EARLIER_IDENTIFIER
            default = prefix({}, self._ctx.kernel.countries.get(self._country), kind)
            name = default if old_name.startswith(default) else old_name
        if name in await issuer_series.used(self._ctx.db, issuer):  # back at the identifier that began it
            self.prefixes[kind.value] = name
        else:
            self.prefixes[kind.value] = await issuer_series.hold_another(self._ctx.db, issuer, name, avoided)
        self.warnings.append(text(message, taken=old_name, series=self.prefixes[kind.value]))

    def _prefix(self, kind: DocumentKind) -> str:
        return prefix(self.prefixes, self._ctx.kernel.countries.get(self._country), kind)

    def _prefix_before(self, kind: DocumentKind) -> str | None:
        if self._before is None:
            return None
        return prefix(self._before.series, self._ctx.kernel.countries.get(self._before.country), kind)


def _shared(series: str) -> Text:
    """Warning of a series in which another account gives numbers under the same tax identifier too."""
    return text(TeamsMsg.SERIES_SHARED, series=series)
