"""Places at which an account files a form: refusals and warnings by the country's rules about other authorities."""

from collections.abc import Sequence
from datetime import date

from ledgerkit.core.declarations.api import FilingAdvice
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import WARNINGS, DeclarationRow, StoredWarning
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import FilingPlace, TaxForm, TaxPeriod, TaxProfile
from ledgerkit.texts import Joined

_CODES = {
    FilingPlace.ELSEWHERE: "filed_elsewhere",
    FilingPlace.MOSTLY_ELSEWHERE: "filed_mostly_elsewhere",
    FilingPlace.ALSO_ELSEWHERE: "filed_also_elsewhere",
    FilingPlace.UNKNOWN: "filing_place_unknown",
}


def check(of: FormPeriod, profile: TaxProfile) -> None:
    """Raise Invalid DECLARATION_ELSEWHERE for a form that the account files with another authority only."""
    notice = of.form.filing_notice(profile, of.period)
    if notice is not None and notice.place is FilingPlace.ELSEWHERE:
        error = FieldError(field="form", code=Code.DECLARATION_ELSEWHERE.value, text=notice.text)
        raise Invalid(notice.text, code=Code.DECLARATION_ELSEWHERE, errors=[error])


def warnings(of: FormPeriod, profile: TaxProfile) -> Sequence[StoredWarning]:
    """Return the warning about a form that is filed, or may be filed, with another authority; none for other forms."""
    notice = of.form.filing_notice(profile, of.period)
    if notice is None:
        return ()
    message, remedy = notice.text.message, notice.text.remedy
    whole = message if remedy is None else Joined((message, remedy), " ")
    return (forms.warning(_CODES[notice.place], whole),)


def warnings_now(of: FormPeriod | None, row: DeclarationRow, profile: TaxProfile | None) -> Sequence[StoredWarning]:
    """Return the warnings that a draft lacks: those of an account that has moved since it was computed."""
    if of is None or profile is None or row.status != "draft":
        return ()
    stored = {warning.code for warning in WARNINGS.decode(row.warnings)}
    return [warning for warning in warnings(of, profile) if warning.code not in stored]


def advice(form: TaxForm, profile: TaxProfile | None, today: date, language: str) -> FilingAdvice | None:
    """Return where the account files a form today, if that differs from the usual authority."""
    periods = (TaxPeriod(today.year, code) for code in form.periods(today.year))
    period = next((period for period in periods if today in period.span), None)
    notice = None if profile is None or period is None else form.filing_notice(profile, period)
    if notice is None:
        return None
    wording = notice.text.wording(language)
    return FilingAdvice(place=notice.place, message=wording.message, remedy=wording.remedy or None)
