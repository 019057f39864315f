"""Fields of the records of lists, and the codes that have a meaning: designs of forms 180, 190, 347 and 349."""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import FieldKind, RecordField
from ledgerkit.providers.es.tax_forms.form_texts import field_text
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.texts import Text, text

Fields = Mapping[str, RecordField]

_AMOUNT, _PERCENT, _FLAG = FieldKind.AMOUNT, FieldKind.PERCENT, FieldKind.FLAG


def _fields(form: str, kinds: Mapping[str, FieldKind], codes: Mapping[str, str], *records: str) -> Fields:
    """Return the fields of a form's records, named in the catalogues; the first says which of the `records` it is.

    `codes` are those of a field that the catalogues explain, one character each.
    """
    record = RecordField(
        name=text(TaxFormMsg.RECORD), values={record: field_text(form, "record", record) for record in records}
    )
    fields = {key: _field(form, key, kind, codes.get(key, "")) for key, kind in kinds.items()}
    return MappingProxyType({"record": record, **fields})


def _field(form: str, key: str, kind: FieldKind, codes: str) -> RecordField:
    values: dict[str, Text] = {
        code: text(TaxFormMsg.CODE, value=code, meaning=field_text(form, key, code)) for code in codes
    }
    return RecordField(name=field_text(form, key), kind=kind, values=values)


def _texts(*keys: str) -> Mapping[str, FieldKind]:
    return dict.fromkeys(keys, FieldKind.TEXT)


_ADDRESS = _texts(
    "streetType",
    "streetName",
    "numberingType",
    "houseNumber",
    "stair",
    "floor",
    "door",
    "addressComplement",
    "municipality",
    "municipalityCode",
    "propertyProvince",
    "postalCode",
)
_PARTY = _texts("partyTaxId", "partyName", "province")

FIELDS_180 = _fields(
    "180",
    {
        **_PARTY,
        **_texts("modality"),
        "base": _AMOUNT,
        "rate": _PERCENT,
        "retention": _AMOUNT,
        **_texts("propertySituation", "cadastralReference"),
        **_ADDRESS,
    },
    {"modality": "1", "propertySituation": "1234"},
    "recipient",
)
FIELDS_190 = _fields(
    "190",
    {
        **_PARTY,
        **_texts("key", "subkey"),
        "amount": _AMOUNT,
        "retention": _AMOUNT,
        "amountInKind": _AMOUNT,
        "paymentOnAccount": _AMOUNT,
        **_texts("birthYear", "familySituation", "spouseTaxId", "disability", "contract"),
    },
    {"key": "AG"},
    "recipient",
)
FIELDS_347 = _fields(
    "347",
    {
        **_PARTY,
        **_texts("country", "euVatNumber", "operationKey"),
        "amount": _AMOUNT,
        "businessLease": _FLAG,
        "reverseCharge": _FLAG,
        "cashAccounting": _FLAG,
        "cashAccountingAmount": _AMOUNT,
        "cashAmount": _AMOUNT,
        **_texts("cashYear"),
        "q1Amount": _AMOUNT,
        "q2Amount": _AMOUNT,
        "q3Amount": _AMOUNT,
        "q4Amount": _AMOUNT,
    },
    {"operationKey": "AB"},
    "declared",
)
FIELDS_349 = _fields(
    "349",
    {
        **_texts("partyVatNumber", "partyName", "operationKey"),
        "base": _AMOUNT,
        **_texts("correctedYear", "correctedPeriod"),
        "correctedBase": _AMOUNT,
        "declaredBase": _AMOUNT,
    },
    {"operationKey": "EATSI"},
    "operator",
    "rectification",
)
