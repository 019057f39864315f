"""Files of the forms: from the content of a declaration to the official design, and back."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pydantic import JsonValue
from stdnum import iban
from stdnum.exceptions import ValidationError

from ledgerkit.providers.api import (
    FieldProblem,
    FileInput,
    FormFile,
    IncompleteDeclarationError,
    ReadFile,
    UnreadableFileError,
)
from ledgerkit.providers.es.tax_forms import layouts, official_design
from ledgerkit.providers.es.tax_forms.declarant import contact_problems, declarant_id, declarant_name, list_contact
from ledgerkit.providers.es.tax_forms.messages import OfficialFileMsg
from ledgerkit.providers.es.tax_forms.profile import spanish

MEDIA_TYPE = "text/plain; charset=iso-8859-1"


def rendered(
    form: str, content: FileInput, types: Sequence[str] = (), problems: Sequence[FieldProblem] = ()
) -> FormFile:
    """Return the file of a form of which the result allows some letters of declaration, the usual one first.

    Raises IncompleteDeclarationError for the problems given, for what the design demands, and for a year whose design
    is not published.
    """
    design = official_design.nearest_design(form, content.period)
    names = official_design.fields(form, content.period)
    contact = list_contact(content, spanish(content.profile))
    all_values = {
        **content.boxes,
        **_heading(content, types),
        "contact_name": contact.name,
        "contact_phone": contact.phone,
        "email": contact.email,
    }
    values: layouts.Values = {name: value for name, value in all_values.items() if name in names}
    records = [_of_design(design, record) for record in content.records]
    unknown = contact_problems(contact) if "contact_name" in names else []
    return written(form, content, values, records, [*problems, *unknown, *choice_problems(content, types)])


def written(
    form: str,
    content: FileInput,
    values: layouts.Values,
    records: Sequence[layouts.Values] = (),
    problems: Sequence[FieldProblem] = (),
) -> FormFile:
    """Return the file of values by the names of the design, named after form, period and tax id.

    Raises IncompleteDeclarationError for the problems given, for a wrong account, for what the design demands, and for
    a year whose design is not published.
    """
    if not official_design.is_known(form, content.period):
        year = content.period.year
        unknown = FieldProblem.of("period", "DESIGN_UNKNOWN", OfficialFileMsg.DESIGN_UNKNOWN, form=form, year=year)
        raise IncompleteDeclarationError([unknown])
    wrong = [*problems, *_iban_problems(content.iban)]
    if refused := [*wrong, *layouts.problems(form, content.period, values, records)]:
        raise IncompleteDeclarationError(refused)
    period = f"{content.period.year}_{layouts.official_period(content.period)}"
    return FormFile(
        name=f"{form}_{period}_{values['tax_id']}.txt",
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


def _heading(content: FileInput, types: Sequence[str]) -> Mapping[str, layouts.Value]:
    """Return what stands about the declarant and its choice."""
    name = declarant_name(content.owner, spanish(content.profile))
    receipt = content.amends.receipt_number if content.amends else None
    return {
        "tax_id": declarant_id(content.owner),
        "surnames": name.surnames,
        "first_name": name.first_name,
        "surname_name": name.whole,
        "declaration_type": content.declaration_type or next(iter(types), None),
        "iban": iban.compact(content.iban or ""),
        "complementary": content.amends is not None,
        "previous_receipt": receipt,
        "previous_number": receipt,
    }


def choice_problems(content: FileInput, types: Sequence[str]) -> list[FieldProblem]:
    """Return a problem for a letter that was chosen and that the result does not allow."""
    if content.declaration_type is None or content.declaration_type in types:
        return []
    allowed = ", ".join(types)
    return [FieldProblem.of("declarationType", "TYPE_NOT_ALLOWED", OfficialFileMsg.TYPE, allowed=allowed)]


def _of_design(design: layouts.Design, record: Mapping[str, JsonValue]) -> layouts.Values:
    """Return a record by the names of its design. Raises ValueError for a field that the design does not have."""
    names = {layouts.path(name): name for segment in design.records[1:] for name in segment.named} | {
        layouts.RECORD: layouts.RECORD
    }
    if unknown := record.keys() - names.keys():
        raise ValueError(f"form {design.form} has no field {', '.join(sorted(unknown))}")
    return {names[key]: _value(value) for key, value in record.items()}


def _of_wire(record: layouts.Values) -> dict[str, JsonValue]:
    return {layouts.path(name): str(value) if isinstance(value, Decimal) else value for name, value in record.items()}


def _value(value: JsonValue) -> layouts.Value:
    if isinstance(value, str | int | None):
        return value
    raise TypeError(f"{value!r} is no value of a field")


def _iban_problems(account: str | None) -> list[FieldProblem]:
    """Return a problem for an account number that is none; an absent one is the design's matter."""
    if not account:
        return []
    try:
        iban.validate(account)
    except ValidationError:
        return [FieldProblem.of("iban", "IBAN_WRONG", OfficialFileMsg.IBAN)]
    return []
