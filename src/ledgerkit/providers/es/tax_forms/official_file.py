"""Files of the forms: from the content of a declaration to the official design, and back."""

from collections.abc import Mapping
from decimal import Decimal

from pydantic import JsonValue

from ledgerkit.providers.api import (
    FieldProblem,
    FileInput,
    FormFile,
    IncompleteDeclarationError,
    ReadFile,
    UnreadableFileError,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms import layouts
from ledgerkit.providers.es.tax_forms.layouts.completion import path
from ledgerkit.providers.es.tax_forms.layouts.writing import ENCODING, RECORD
from ledgerkit.providers.es.tax_forms.messages import OfficialFileMsg

MEDIA_TYPE = f"text/plain; charset={ENCODING}"


def rendered(form: str, content: FileInput) -> FormFile:
    """Return the file of a form. Raises IncompleteDeclarationError, also for a year whose design is not published."""
    try:
        design = layouts.design_for(form, content.period)
    except layouts.UnknownDesignError:
        problem = FieldProblem.of(
            "period", "DESIGN_UNKNOWN", OfficialFileMsg.DESIGN_UNKNOWN, form=form, year=content.period.year
        )
        raise IncompleteDeclarationError([problem]) from None
    names = {name for segment in design.head for name in segment.named}
    records = [_of_design(design, record) for record in content.records]
    values: layouts.Values = {
        name: value for name, value in {**content.boxes, **_heading(content)}.items() if name in names
    }
    tax_id, period = _tax_id(content), layouts.official_period(content.period)
    return FormFile(
        name=f"{tax_id}_{content.period.year}_{period}.{form}",
        media_type=MEDIA_TYPE,
        content=layouts.render(form, content.period, values, records),
    )


def read(form: str, content: bytes) -> ReadFile:
    """Read a file of a form; its records have every field of the design. Raises UnreadableFileError."""
    try:
        file = layouts.read(form, content)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(str(error)) from None
    letter = file.values.get("declaration_type")
    return ReadFile(
        period=file.period,
        tax_id=str(file.values["tax_id"]),
        boxes=file.boxes,
        records=[_of_wire(record) for record in file.records],
        declaration_type=str(letter) if letter else None,
    )


def _heading(content: FileInput) -> Mapping[str, layouts.Value]:
    """Return what stands about the declarant and its choice; a person's name is `surnames, first name` or whole."""
    surnames, _, first_name = content.owner.name.partition(",")
    amends = content.amends
    return {
        "tax_id": _tax_id(content),
        "surnames": surnames,
        "first_name": first_name.strip(),
        "surname_name": f"{surnames} {first_name}",
        "declaration_type": content.declaration_type,
        "iban": "".join((content.iban or "").split()),
        "complementary": amends is not None,
        "previous_receipt": amends.receipt_number if amends else None,
        "previous_number": amends.receipt_number if amends else None,
    }


def _tax_id(content: FileInput) -> str:
    tax_id = content.owner.tax_id or ""
    return tax_ids.spanish(tax_id) or tax_id


def _of_design(design: layouts.Design, record: Mapping[str, JsonValue]) -> layouts.Values:
    """Return a record by the names of its design. Raises ValueError for a field that the design does not have."""
    names = {path(name): name for segment in design.records[1:] for name in segment.named} | {RECORD: RECORD}
    if unknown := record.keys() - names.keys():
        raise ValueError(f"form {design.form} has no field {', '.join(sorted(unknown))}")
    return {names[key]: _value(value) for key, value in record.items()}


def _of_wire(record: layouts.Values) -> dict[str, JsonValue]:
    return {path(name): str(value) if isinstance(value, Decimal) else value for name, value in record.items()}


def _value(value: JsonValue) -> layouts.Value:
    if isinstance(value, str | int | None):
        return value
    raise TypeError(f"{value!r} is no value of a field")
