"""Declarant of a file: its number, its name in the parts that the designs have, and the contact of a list."""

import re
from typing import NamedTuple

from ledgerkit.providers.api import FieldProblem, FileInput, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.messages import OfficialFileMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile

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
