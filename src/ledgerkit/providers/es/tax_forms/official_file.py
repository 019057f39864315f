"""Files of the forms: from the content of a declaration to the official design, and back."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pydantic import JsonValue
from stdnum import iban
from stdnum.exceptions import ValidationError

from ledgerkit.providers.api import (
    FieldProblem,
    FileInput,
    FormFile,
    IncompleteDeclarationError,
    Party,
    ReadFile,
    UnreadableFileError,
)
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms import layouts
from ledgerkit.providers.es.tax_forms.messages import OfficialFileMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile, spanish

MEDIA_TYPE = "text/plain; charset=iso-8859-1"


def rendered(
    form: str, content: FileInput, types: Sequence[str] = (), problems: Sequence[FieldProblem] = ()
) -> FormFile:
    """Return the file of a form of which the result allows some letters of declaration, the usual one first.

    Raises IncompleteDeclarationError for the problems given, for what the design demands, and for a year whose design
    is not published.
    """
    design = layouts.nearest_design(form, content.period)
    names = layouts.nearest_fields(form, content.period)
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
    if not layouts.is_known(form, content.period):
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


_SPANISH_PHONE = re.compile(r"(?:\+34|0034)?([0-9]{9})")
_BETWEEN_DIGITS = re.compile(r"[\s.\-()]+")


class DeclarantName(NamedTuple):
    """Surnames, or the whole name of an entity, and a first name, which an entity has not."""

    surnames: str
    first_name: str

    @property
    def whole(self) -> str:
        return f"{self.surnames} {self.first_name}".strip()


class ListContact(NamedTuple):
    """Contact as the first record of a list has it; a part that is not known is empty."""

    name: str
    phone: str
    email: str


def declarant_id(owner: Party) -> str | None:
    """Return the NIF of the declarant in its normal form; None where it has none."""
    return tax_ids.spanish(owner.tax_id or "")


def declarant_name(owner: Party, profile: SpanishTaxProfile) -> DeclarantName:
    """Return the name of the declarant in its parts.

    That of an entity, told by its NIF, is never divided. A person's parts are those that the profile states, else what
    stands before and after the comma of the name. A name without a comma stays whole as surnames: where surnames end
    cannot be told.
    """
    if tax_ids.is_entity(owner.tax_id or ""):
        return DeclarantName(owner.name, "")
    if profile.surnames:
        return DeclarantName(profile.surnames, profile.first_name or "")
    surnames, _, first_name = owner.name.partition(",")
    return DeclarantName(surnames.strip(), first_name.strip())


def list_contact(content: FileInput, profile: SpanishTaxProfile) -> ListContact:
    """Return the contact that the profile states, else a person with the account's own name and telephone."""
    if profile.contact is not None:
        stated = profile.contact
        return ListContact(f"{stated.surnames} {stated.first_name}", stated.phone, stated.email or "")
    phone = _SPANISH_PHONE.fullmatch(_BETWEEN_DIGITS.sub("", content.phone or ""))
    is_person = not tax_ids.is_entity(content.owner.tax_id or "")
    name = declarant_name(content.owner, profile).whole if is_person else ""
    return ListContact(name, phone[1] if phone else "", "")


def contact_problems(contact: ListContact) -> list[FieldProblem]:
    """Return a problem for the name and for the telephone of a contact that are not known."""
    values = {"contactName": contact.name, "contactPhone": contact.phone}
    return [FieldProblem.of(path, "MISSING", OfficialFileMsg.CONTACT) for path, value in values.items() if not value]
