"""Names of the fields of lists, and words for their codes, by the record designs of forms 180, 190, 347 and 349."""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import FieldKind, RecordField

Fields = Mapping[str, RecordField]
Words = Mapping[str, Mapping[str, str]]


def _named(spanish: str, english: str, kind: FieldKind = FieldKind.TEXT, values: Words | None = None) -> RecordField:
    return RecordField(name={"es": spanish, "en": english}, kind=kind, values=values or {})


def _amount(spanish: str, english: str) -> RecordField:
    return _named(spanish, english, FieldKind.AMOUNT)


def _flag(spanish: str, english: str) -> RecordField:
    return _named(spanish, english, FieldKind.FLAG)


def _words(**codes: tuple[str, str]) -> Words:
    """Return words for codes, each after its code; a code that begins with a digit has `_` before it."""
    return {
        (code := key.removeprefix("_")): {"es": f"{code}, {spanish}", "en": f"{code}, {english}"}
        for key, (spanish, english) in codes.items()
    }


def _record(**kinds: tuple[str, str]) -> RecordField:
    values = {kind: {"es": spanish, "en": english} for kind, (spanish, english) in kinds.items()}
    return _named("Registro", "Record", values=values)


_PARTY: Fields = {
    "partyTaxId": _named("NIF", "NIF"),
    "partyName": _named("Nombre", "Name"),
    "province": _named("Provincia", "Province"),
}
_RECIPIENT = _record(recipient=("Perceptor", "Payee"))

FIELDS_180: Fields = MappingProxyType(
    {
        "record": _RECIPIENT,
        **_PARTY,
        "modality": _named("Modalidad", "Modality", values=_words(_1=("dineraria", "in cash"))),
        "base": _amount("Base de la retención", "Base"),
        "rate": _named("Tipo de retención", "Rate", FieldKind.PERCENT),
        "retention": _amount("Retención", "Withheld"),
        "propertySituation": _named(
            "Situación del inmueble",
            "Situation of the property",
            values=_words(
                _1=("con referencia catastral", "with a cadastral reference"),
                _2=("en el País Vasco o Navarra", "in the Basque Country or Navarre"),
                _3=("sin referencia catastral", "without a cadastral reference"),
                _4=("en el extranjero", "abroad"),
            ),
        ),
        "cadastralReference": _named("Referencia catastral", "Cadastral reference"),
        "streetType": _named("Tipo de vía", "Kind of street"),
        "streetName": _named("Vía", "Street"),
        "numberingType": _named("Tipo de numeración", "Kind of numbering"),
        "houseNumber": _named("Número", "Number"),
        "stair": _named("Escalera", "Stair"),
        "floor": _named("Planta", "Floor"),
        "door": _named("Puerta", "Door"),
        "addressComplement": _named("Complemento", "Further parts of the address"),
        "municipality": _named("Municipio", "Municipality"),
        "municipalityCode": _named("Código del municipio", "Code of the municipality"),
        "propertyProvince": _named("Provincia del inmueble", "Province of the property"),
        "postalCode": _named("Código postal", "Postal code"),
    }
)

FIELDS_190: Fields = MappingProxyType(
    {
        "record": _RECIPIENT,
        **_PARTY,
        "key": _named(
            "Clave",
            "Key",
            values=_words(
                A=("empleados por cuenta ajena", "employees"), G=("actividades profesionales", "professionals")
            ),
        ),
        "subkey": _named("Subclave", "Subkey"),
        "amount": _amount("Percepción", "Paid"),
        "retention": _amount("Retención", "Withheld"),
        "amountInKind": _amount("Percepción en especie", "Paid in kind"),
        "paymentOnAccount": _amount("Ingreso a cuenta", "Payment on account"),
        "birthYear": _named("Año de nacimiento", "Year of birth"),
        "familySituation": _named("Situación familiar", "Family situation"),
        "spouseTaxId": _named("NIF del cónyuge", "NIF of the spouse"),
        "disability": _named("Discapacidad", "Disability"),
        "contract": _named("Contrato o relación", "Contract"),
    }
)

FIELDS_347: Fields = MappingProxyType(
    {
        "record": _record(declared=("Declarado", "Party")),
        **_PARTY,
        "country": _named("País", "Country"),
        "euVatNumber": _named("NIF-IVA", "VAT number"),
        "operationKey": _named(
            "Clave", "Key", values=_words(A=("adquisiciones", "purchases"), B=("entregas", "sales"))
        ),
        "amount": _amount("Importe anual", "Yearly amount"),
        "businessLease": _flag("Arrendamiento de local de negocio", "Lease of business premises"),
        "reverseCharge": _flag("Inversión del sujeto pasivo", "Reverse charge"),
        "cashAccounting": _flag("Criterio de caja", "Cash accounting"),
        "cashAccountingAmount": _amount("Importe según el criterio de caja", "Amount under cash accounting"),
        "cashAmount": _amount("Importe en metálico", "Received in cash"),
        "cashYear": _named("Ejercicio del metálico", "Year of what was received in cash"),
        **{f"q{number}Amount": _amount(f"Importe {number}T", f"Amount of Q{number}") for number in range(1, 5)},
    }
)

FIELDS_349: Fields = MappingProxyType(
    {
        "record": _record(operator=("Operador", "Operator"), rectification=("Rectificación", "Rectification")),
        "partyVatNumber": _named("NIF-IVA", "VAT number"),
        "partyName": _named("Nombre", "Name"),
        "operationKey": _named(
            "Clave",
            "Key",
            values=_words(
                E=("entregas", "goods sold"),
                A=("adquisiciones", "goods bought"),
                T=("entregas en operaciones triangulares", "triangular sales"),
                S=("servicios prestados", "services sold"),
                I=("servicios adquiridos", "services bought"),
            ),
        ),
        "base": _amount("Base imponible", "Taxable base"),
        "correctedYear": _named("Ejercicio rectificado", "Corrected year"),
        "correctedPeriod": _named("Periodo rectificado", "Corrected period"),
        "correctedBase": _amount("Base rectificada", "Corrected base"),
        "declaredBase": _amount("Base declarada antes", "Base declared before"),
    }
)
