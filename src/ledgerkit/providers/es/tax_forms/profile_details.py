"""Details of the tax profile that files ask for: a bank abroad, and the properties that are rented."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.providers.api import TaxProfile


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
