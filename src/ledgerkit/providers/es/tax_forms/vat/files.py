"""Files of the VAT forms: what both write in the same way, and their reader."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from stdnum import iban
from stdnum.exceptions import ValidationError

from ledgerkit.providers.api import (
    Box,
    FieldProblem,
    FileInput,
    FormFile,
    IncompleteDeclarationError,
    Party,
    ReadFile,
    TaxPeriod,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms import layouts
from ledgerkit.providers.es.tax_forms.messages import OfficialFileMsg
from ledgerkit.providers.es.tax_forms.profile import Activity
from ledgerkit.providers.es.tax_forms.vat.messages import VatMsg

MEDIA_TYPE = "text/plain; charset=iso-8859-1"


def is_known(form: str, period: TaxPeriod) -> bool:
    """Return True where the official design of a period is known."""
    try:
        layouts.design_for(form, period)
    except layouts.UnknownDesignError:
        return False
    return True


def newest_design(form: str, period: TaxPeriod) -> layouts.Design:
    """Return the design in force, or the newest one while that of a later period is not published.

    Raises UnknownDesignError (LookupError) for a period before the first design that is known.
    """
    earlier = [one for one in layouts.all_designs() if one.form == form and one.since <= period.span.last]
    if not earlier:
        raise layouts.UnknownDesignError(f"form {form}, period {period.year} {period.code}")
    return max(earlier, key=lambda one: one.since)


def fields(form: str, period: TaxPeriod) -> Mapping[str, layouts.Field]:
    """Return the fields of the newest design by their names."""
    return {name: field for page in newest_design(form, period).pages for name, field in page.named.items()}


def render(form: str, content: FileInput, values: layouts.Values, problems: Sequence[FieldProblem] = ()) -> FormFile:
    """Return the file of a form, named after form, period and tax id.

    Raises IncompleteDeclarationError, also for a period whose design is not published.
    """
    if not is_known(form, content.period):
        year = content.period.year
        unknown = FieldProblem.of("period", "DESIGN_UNKNOWN", OfficialFileMsg.DESIGN_UNKNOWN, form=form, year=year)
        raise IncompleteDeclarationError([unknown])
    refused = [*problems, *layouts.problems(form, content.period, values)]
    if refused:
        raise IncompleteDeclarationError(refused)
    period = f"{content.period.year}_{layouts.official_period(content.period)}"
    return FormFile(
        name=f"{form}_{period}_{values['tax_id']}.txt",
        media_type=MEDIA_TYPE,
        content=layouts.render(form, content.period, values),
    )


def read(form: str, content: bytes, boxes: Callable[[TaxPeriod], Mapping[str, Box]]) -> ReadFile:
    """Read a file of a form. Raises UnreadableFileError."""
    stated = layouts.read(form, content)
    known = boxes(stated.period)
    letter = stated.values.get("declaration_type")
    return ReadFile(
        period=stated.period,
        tax_id=str(stated.values["tax_id"]),
        boxes={key: amount for key, amount in stated.boxes.items() if key in known},
        records=(),
        declaration_type=str(letter) if letter else None,
    )


def declarant_id(owner: Party) -> str | None:
    """Return the NIF of the declarant in its normal form; None where it has none."""
    return tax_ids.spanish(owner.tax_id or "")


def amounts(form: str, content: FileInput) -> dict[str, Decimal]:
    """Return the boxes that the form's file holds."""
    official = fields(form, content.period)
    return {key: amount for key, amount in content.boxes.items() if key in official}


def activities(listed: Sequence[Activity]) -> dict[str, layouts.Value]:
    """Return the codes and headings of the activities, the main one first."""
    codes: dict[str, layouts.Value] = {
        f"activity_code_{place}": one.kind.value for place, one in enumerate(listed, start=1)
    }
    return codes | {f"iae_heading_{place}": one.iae or "" for place, one in enumerate(listed, start=1)}


def iban_problems(given: str | None) -> list[FieldProblem]:
    """Return a problem for an account number that is none; an absent one is the design's matter."""
    if not given:
        return []
    try:
        iban.validate(given)
    except ValidationError:
        return [FieldProblem.of("iban", "IBAN_WRONG", VatMsg.FILE_IBAN)]
    return []
