"""Warnings that forms of any country may need: about the design, the day of the reading, and other issuers."""

from collections.abc import Collection, Sequence
from zoneinfo import ZoneInfo

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import WARNINGS, DeclarationRow, StoredWarning
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Ledger, Sale
from ledgerkit.texts import text

OTHER_ISSUER = "other_issuer"
_MOST_NAMED = 10
"""Most documents that a warning names in words; it has the ids of all."""


def of_layout(of: FormPeriod) -> Sequence[StoredWarning]:
    """Return a warning if the official design of the period is not known, so that there is no file."""
    if of.form.knows_layout(of.period):
        return ()
    return (
        forms.warning("layout_unknown", text(DeclarationsMsg.LAYOUT_UNKNOWN, form=of.form.code, year=of.period.year)),
    )


def of_day(ctx: Context, row: DeclarationRow) -> Sequence[StoredWarning]:
    """Return a warning for a draft whose period has not ended, and for a declaration submitted before its end."""
    submitted = row.submitted_at and row.submitted_at.astimezone(ZoneInfo(ctx.account.time_zone)).date()
    if row.origin != "generated" or row.period_end < (submitted or ctx.account.today()):
        return ()
    return (forms.warning("period_running", text(DeclarationsMsg.PERIOD_RUNNING, last=row.period_end)),)


def of_other_issuers(ledger: Ledger, declared: Collection[str]) -> Sequence[StoredWarning]:
    """Return a warning for each tax identifier, other than the owner's, of which the declaration has documents.

    The books do not show whether they belong here. Another taxpayer declares its own sales (for example a person whose
    business became a company); a taxpayer whose number alone has changed continues under the new number.
    """
    of_others: dict[str, list[Sale]] = {}
    for sale in ledger.sales:
        if sale.issuer_tax_id is not None and sale.document_id in declared:
            of_others.setdefault(sale.issuer_tax_id, []).append(sale)
    return [_of_issuer(ledger, tax_id, sales) for tax_id, sales in of_others.items()]


def of_other_issuers_now(row: DeclarationRow, computed: Sequence[StoredWarning]) -> Sequence[StoredWarning]:
    """Return the warnings in `computed` that a draft lacks: its account has changed its tax identifier since."""
    if row.status != "draft" or any(warning.code == OTHER_ISSUER for warning in WARNINGS.decode(row.warnings)):
        return ()
    return [warning for warning in computed if warning.code == OTHER_ISSUER]


def _of_issuer(ledger: Ledger, tax_id: str, sales: Sequence[Sale]) -> StoredWarning:
    numbers = [sale.number for sale in sales]
    words = text(
        DeclarationsMsg.OTHER_ISSUER,
        count=len(sales),
        listed=", ".join(numbers if len(numbers) <= _MOST_NAMED else [*numbers[:_MOST_NAMED], "…"]),
        tax_id=tax_id,
        owner=ledger.owner.tax_id or "-",
    )
    return forms.warning(OTHER_ISSUER, words, tuple(sale.document_id for sale in sales))
