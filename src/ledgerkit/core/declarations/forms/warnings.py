"""Warnings that forms of any country may need: about the design, and about the day of the reading."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import DeclarationRow, StoredWarning
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.texts import text


def of_layout(of: FormPeriod) -> Sequence[StoredWarning]:
    """Return a warning if the official design of the period is not known, so that there is no file."""
    if of.form.knows_layout(of.period):
        return ()
    words = text(DeclarationsMsg.LAYOUT_UNKNOWN, form=of.form.code, year=of.period.year)
    return (StoredWarning(code="layout_unknown", message=forms.wordings(words)),)


def of_day(ctx: Context, row: DeclarationRow) -> Sequence[StoredWarning]:
    """Return a warning for a draft whose period has not ended, and for a declaration submitted before its end."""
    submitted = row.submitted_at and row.submitted_at.astimezone(ZoneInfo(ctx.account.time_zone)).date()
    if row.origin != "generated" or row.period_end < (submitted or ctx.account.today()):
        return ()
    words = text(DeclarationsMsg.PERIOD_RUNNING, last=row.period_end)
    return (StoredWarning(code="period_running", message=forms.wordings(words)),)
