"""Fields of the records of lists, and the codes that have a meaning: designs of forms 180, 190, 347 and 349."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from ledgerkit.providers.api import FieldKind, RecordField
from ledgerkit.providers.es.tax_forms.form_texts import field_text
from ledgerkit.providers.es.tax_forms.messages import TaxFormMsg
from ledgerkit.texts import Text, text

Fields = Mapping[str, RecordField]


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


def _of_kind(kind: FieldKind, keys: str) -> Mapping[str, FieldKind]:
    return dict.fromkeys(keys.split(), kind)


_TEXT, _AMOUNT = partial(_of_kind, FieldKind.TEXT), partial(_of_kind, FieldKind.AMOUNT)
_PERCENT, _FLAG = partial(_of_kind, FieldKind.PERCENT), partial(_of_kind, FieldKind.FLAG)

_ADDRESS = _TEXT(
    "streetType streetName numberingType houseNumber stair floor door addressComplement municipality municipalityCode "
    "propertyProvince postalCode"
)
_PARTY = _TEXT("partyTaxId partyName province")

FIELDS_180 = _fields(
    "180",
    {
        **_PARTY,
        **_TEXT("modality"),
        **_AMOUNT("base"),
        **_PERCENT("rate"),
        **_AMOUNT("retention"),
        **_TEXT("propertySituation cadastralReference"),
        **_ADDRESS,
    },
    {"modality": "1", "propertySituation": "1234"},
    "recipient",
)
FIELDS_190 = _fields(
    "190",
    {
        **_PARTY,
        **_TEXT("key subkey"),
        **_AMOUNT("amount retention amountInKind paymentOnAccount"),
        **_TEXT("birthYear familySituation spouseTaxId disability contract"),
    },
    {"key": "AG"},
    "recipient",
)
FIELDS_347 = _fields(
    "347",
    {
        **_PARTY,
        **_TEXT("country euVatNumber operationKey"),
        **_AMOUNT("amount"),
        **_FLAG("businessLease reverseCharge cashAccounting"),
        **_AMOUNT("cashAccountingAmount cashAmount"),
        **_TEXT("cashYear"),
        **_AMOUNT("q1Amount q2Amount q3Amount q4Amount"),
    },
    {"operationKey": "AB"},
    "declared",
)
FIELDS_349 = _fields(
    "349",
    {
        **_TEXT("partyVatNumber partyName operationKey"),
        **_AMOUNT("base"),
        **_TEXT("correctedYear correctedPeriod"),
        **_AMOUNT("correctedBase declaredBase"),
    },
    {"operationKey": "EATSI"},
    "operator",
    "rectification",
)
