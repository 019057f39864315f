"""Stored JSON of invoices: what is in the database today is read, and written again byte for byte."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ledgerkit.core.platform.database.stored_json import JsonCodec
from ledgerkit.core.sales.invoices.json_columns.codecs import (
    CLIENT,
    EINVOICE,
    GOODS,
    ISSUER,
    LINES,
    PARTY,
    REPLACED,
    TAX_LINES,
    TAX_ROWS,
    THIRD_PARTY,
    StoredTax,
    stored_stamp,
)
from ledgerkit.money import dumps_exact, loads_exact
from ledgerkit.providers.api import TaxCategory, TaxLine

CLIENT_TEXT = (
    '{"name":"Talleres Norte, S.L.","taxId":"B12345674","taxIdKind":null,"country":"ES","email":null,'
    '"address":"Calle Mayor 1","city":"Bilbao","postalCode":"48001","province":null,"language":"es"}'
)
ISSUER_TEXT = (
    '{"name":"Ana","company":null,"country":"ES","tax_id":"12345678Z","address":null,"postal_code":"28001",'
    '"city":"Madrid","province":null,"email":"ana@example.com","phone":null}'
)
LINES_TEXT = (
    '[{"description":"Café","quantity":2.0,"unitPrice":1.2345,"taxRate":21.0,"discount":0.0,'
    '"taxCategory":"standard","exemptionCode":null,"regimeKey":null,"notSubjectReason":null,"surchargeRate":5.2,'
    '"surchargeByDefault":true,"catalogItemId":"0199a8c0-0000-7000-8000-000000000001","variantIndex":1,"unit":"kg",'
    '"tax":null,"costBase":null,"purchaseCost":null,"lineTotal":2.47}]'
)
TAX_ROW_TEXT = (
    '{"category":"standard","rate":21.0,"base":2.47,"amount":0.52,"surchargeRate":5.2,"surchargeAmount":0.13,'
    '"exemptionCode":null,"regimeKey":null,"tax":null,"costBase":null,"notSubjectReason":null,"untaxedAmount":null}'
)
REPLACED_TEXT = (
    '{"subtotal":2.47,"taxAmount":0.52,"surchargeAmount":0.13,"retentionAmount":0.0,"total":3.12,'
    f'"taxBreakdown":[{TAX_ROW_TEXT}]}}'
)
GOODS_TEXT = '[{"catalogItemId":"0199a8c0-0000-7000-8000-000000000001","variantIndex":null,"quantity":2.0}]'
THIRD_PARTY_TEXT = '{"name":"Gestoría Sur","taxId":"B98765437","country":"ES"}'

STORED = {
    "client": (CLIENT, CLIENT_TEXT),
    "issuer": (ISSUER, ISSUER_TEXT),
    "lines": (LINES, LINES_TEXT),
    "tax rows": (TAX_ROWS, f"[{TAX_ROW_TEXT}]"),
    "replaced": (REPLACED, REPLACED_TEXT),
    "goods": (GOODS, GOODS_TEXT),
    "third party": (THIRD_PARTY, THIRD_PARTY_TEXT),
}


@pytest.mark.parametrize(("codec", "text"), STORED.values(), ids=STORED)
def test_what_is_stored_is_written_again_byte_for_byte(codec: JsonCodec[Any], text: str):
    value = codec.decode(loads_exact(text))

    assert dumps_exact(codec.encode(value)) == text


def test_encoded_lines_equal_those_that_the_driver_gives():
    stored = loads_exact(LINES_TEXT)

    assert LINES.encode(LINES.decode(stored)) == stored


def test_a_line_has_exact_amounts_and_typed_fields():
    [line] = LINES.decode(loads_exact(LINES_TEXT))

    assert (line.unit_price, line.tax_category.value, line.signed_quantity) == (
        Decimal("1.2345"),
        "standard",
        Decimal("2.0"),
    )


def test_a_stamp_keeps_all_of_the_result_and_is_read_for_what_invoices_need():
    result = {
        "id": "1",
        "country": "ES",
        "provider": "verifactu",
        "fiscalId": "F",
        "qrUrl": None,
        "environment": "sandbox",
        "csv": "A-1",
    }

    stored = stored_stamp(result)

    assert stored == result
    assert EINVOICE.decode(stored).fiscal_id == "F"


def test_an_empty_column_is_none_both_ways():
    assert (REPLACED.decode(None), REPLACED.encode(None)) == (None, None)


@pytest.mark.parametrize("changes", [{}, {"taxIdKind": "03", "email": "a@b.es", "province": "Vizcaya"}, {"name": None}])
def test_a_party_is_decoded_directly_as_its_client_is(changes: dict[str, str | None]):
    text = dumps_exact({**loads_exact(CLIENT_TEXT), **changes})

    decoded = PARTY.one(text)

    assert (decoded if decoded.name else None) == CLIENT.decode_text(text).party()


_TEXTS = st.none() | st.text(max_size=3)
_AMOUNTS = st.decimals(allow_nan=False, min_value=-(10**9), max_value=10**9, places=2)
_TAXES = st.builds(
    TaxLine,
    category=st.sampled_from(TaxCategory),
    rate=_AMOUNTS,
    base=_AMOUNTS,
    amount=_AMOUNTS,
    surcharge_rate=st.none() | _AMOUNTS,
    surcharge_amount=_AMOUNTS,
    exemption_code=_TEXTS,
    regime_key=_TEXTS,
    tax=_TEXTS,
    cost_base=st.none() | _AMOUNTS,
    not_subject_reason=_TEXTS,
    untaxed=st.none() | _AMOUNTS,
)


@given(st.lists(_TAXES, max_size=3))
def test_tax_lines_are_decoded_directly_as_their_stored_rows_are(lines: list[TaxLine]):
    text = dumps_exact(TAX_ROWS.encode(tuple(StoredTax.of(line) for line in lines)))

    assert TAX_LINES.several(text) == tuple(row.tax_line() for row in TAX_ROWS.decode_text(text)) == tuple(lines)


def test_what_was_never_stored_is_refused_directly_too():
    with pytest.raises(ValidationError):
        TAX_LINES.several('[{"category":"standard"}]')
