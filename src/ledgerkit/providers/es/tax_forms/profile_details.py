"""Details of the tax profile that files ask for: a bank abroad, and the properties that are rented."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from ledgerkit.providers.api import TaxProfile
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.messages import TaxProfileMsg
from ledgerkit.texts.refusals import refusal


def _nif(value: str) -> str:
    """Return a NIF in its normal form."""
    number = tax_ids.spanish(value)
    if number is None:
        raise refusal("nif_wrong", TaxProfileMsg.NIF_WRONG)
    return number


Nif = Annotated[str, AfterValidator(_nif)]


class Contact(TaxProfile):
    """Person whom the authority asks about a list (record designs of 180, 190, 347 and 349, positions 59 to 107)."""

    surnames: Annotated[str, Field(description="Surnames", min_length=1, max_length=40)]
    first_name: Annotated[str, Field(description="First name", min_length=1, max_length=20)]
    phone: Annotated[str, Field(description="Telephone, nine digits", pattern=r"^[0-9]{9}$")]
    email: Annotated[str | None, Field(description="Mail address, which form 190 has", max_length=50)] = None


class FamilySituation(StrEnum):
    """Family situation by which a wage is withheld of (RD 439/2007, art. 81.1), by the codes of form 190."""

    ALONE_WITH_CHILDREN = "1"
    SPOUSE_WITHOUT_INCOME = "2"
    OTHER = "3"


class Contract(StrEnum):
    """Contract of an employee by the codes of form 190."""

    GENERAL = "1"
    UNDER_A_YEAR = "2"
    SPECIAL = "3"
    BY_THE_DAY = "4"


class Disability(StrEnum):
    """Degree of disability by the codes of form 190."""

    NONE = "0"
    FROM_33 = "1"
    FROM_33_WITH_HELP = "2"
    FROM_65 = "3"


class Employee(TaxProfile):
    """Employee, by the tax id that stands on the documents of the wages, with what form 190 demands of key A.

    Source: record design of form 190 (Orden EHA/3127/2009, annex II), type 2, positions 153 to 170.
    """

    tax_id: Annotated[Nif, Field(description="NIF on the documents of the wages")]
    birth_year: Annotated[int, Field(description="Year of birth", ge=1900, le=2100)]
    family_situation: Annotated[
        FamilySituation,
        Field(
            description="`1` unmarried, widowed or divorced with children in their sole care, `2` married to a spouse "
            "of little income, `3` any other"
        ),
    ]
    spouse_tax_id: Annotated[Nif | None, Field(description="NIF of the spouse, for situation `2`")] = None
    contract: Annotated[
        Contract,
        Field(
            description="`1` general, `2` of less than a year, `3` special dependent relation, `4` by the day, sporadic"
        ),
    ]
    disability: Annotated[
        Disability,
        Field(
            description="`0` none, `1` from 33 % and below 65 %, `2` the same with help or reduced mobility, `3` from "
            "65 %"
        ),
    ] = Disability.NONE
    moved_for_work: Annotated[bool, Field(description="True for the deduction of geographic mobility")] = False

    @model_validator(mode="after")
    def _names_spouse(self) -> Self:
        if self.family_situation is FamilySituation.SPOUSE_WITHOUT_INCOME and self.spouse_tax_id is None:
            raise refusal("spouse_missing", TaxProfileMsg.SPOUSE_MISSING)
        return self

    def fields(self) -> dict[str, str | None]:
        """Return the fields of a record of form 190, by their names on the wire."""
        with_spouse = self.family_situation is FamilySituation.SPOUSE_WITHOUT_INCOME
        return {
            "birthYear": str(self.birth_year),
            "familySituation": self.family_situation.value,
            "spouseTaxId": self.spouse_tax_id if with_spouse else None,
            "contract": self.contract.value,
            "disability": self.disability.value,
            "mobility": "1" if self.moved_for_work else "0",
        }


class BankAbroad(TaxProfile):
    """Bank of the account outside Spain to which a refund goes (form 303, type X; design, page DID00)."""

    swift: Annotated[
        str,
        Field(description="SWIFT-BIC, 8 or 11 characters", pattern=r"^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$"),
    ]
    name: Annotated[str, Field(description="Name of the bank", min_length=1, max_length=70)]
    address: Annotated[str, Field(description="Address of the bank", min_length=1, max_length=35)]
    city: Annotated[str, Field(description="City of the bank", min_length=1, max_length=30)]
    country: Annotated[str, Field(description="Country of the bank, ISO 3166-1 alpha-2", pattern=r"^[A-Z]{2}$")]


class PropertySituation(StrEnum):
    """Situation of a leased property, by the codes of form 180 (record design, position 114)."""

    WITH_REFERENCE = "1"
    BASQUE_OR_NAVARRESE_REFERENCE = "2"
    WITHOUT_REFERENCE = "3"
    ABROAD = "4"


_HAS_REFERENCE = frozenset({PropertySituation.WITH_REFERENCE, PropertySituation.BASQUE_OR_NAVARRESE_REFERENCE})


class LeasedProperty(TaxProfile):
    """Property that the account rents, by the text that stands as `leasedProperty` in the documents of its rent."""

    reference: Annotated[
        str, Field(description="`leasedProperty` of the documents of its rent", min_length=1, max_length=20)
    ]
    situation: Annotated[
        PropertySituation,
        Field(
            description="`1` with a cadastral reference in Spain, `2` with one of the Basque Country or Navarre, "
            "`3` without one, `4` abroad"
        ),
    ]
    street_type: Annotated[
        str | None, Field(description="Kind of street, as `CALLE` or `AVDA`", min_length=1, max_length=5)
    ] = None
    street_name: Annotated[str, Field(description="Name of the street", min_length=1, max_length=50)]
    house_number: Annotated[str | None, Field(description="Number of the house", pattern=r"^[0-9]{1,5}$")] = None
    stair: Annotated[str | None, Field(description="Stair", max_length=3)] = None
    floor: Annotated[str | None, Field(description="Floor", max_length=3)] = None
    door: Annotated[str | None, Field(description="Door", max_length=3)] = None
    address_complement: Annotated[str | None, Field(description="Further parts of the address", max_length=40)] = None
    municipality: Annotated[str, Field(description="Municipality", min_length=1, max_length=30)]
    municipality_code: Annotated[
        str | None, Field(description="Code of the municipality (INE)", pattern=r"^[0-9]{5}$")
    ] = None
    postal_code: Annotated[
        str | None, Field(description="Spanish postal code", pattern=r"^(0[1-9]|[1-4][0-9]|5[0-2])[0-9]{3}$")
    ] = None

    @property
    def key(self) -> str:
        """Reference as it is compared."""
        return reference_key(self.reference)

    def fields(self) -> dict[str, str | None]:
        """Return the fields of a record of form 180, by their names on the wire."""
        in_spain = self.situation is not PropertySituation.ABROAD
        return {
            "propertySituation": self.situation.value,
            "cadastralReference": self.key if self.situation in _HAS_REFERENCE else None,
            "streetType": self.street_type,
            "streetName": self.street_name,
            "numberingType": "NUM" if self.house_number else None,
            "houseNumber": self.house_number,
            "stair": self.stair,
            "floor": self.floor,
            "door": self.door,
            "addressComplement": self.address_complement,
            "municipality": self.municipality,
            "municipalityCode": self.municipality_code,
            "propertyProvince": self.postal_code[:2] if in_spain and self.postal_code else None,
            "postalCode": self.postal_code if in_spain else None,
        }


def reference_key(reference: str | None) -> str:
    """Return a reference without blanks and in upper case; empty for none."""
    return "".join((reference or "").split()).upper()
