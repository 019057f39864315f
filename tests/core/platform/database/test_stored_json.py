from decimal import Decimal

from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredObject
from ledgerkit.core.sales.clients.table import DIR3, Dir3
from ledgerkit.money import dumps_exact, loads_exact


class Discount(StoredObject):
    percent_off: Decimal
    reason: str | None = None


def test_an_object_is_stored_with_the_keys_of_the_wire_in_the_order_of_its_fields():
    stored = DIR3.encode(Dir3(processing_unit="U", accounting_office="O"))

    assert dumps_exact(stored) == '{"accountingOffice":"O","managingBody":null,"processingUnit":"U"}'
    assert DIR3.decode(stored) == Dir3(accounting_office="O", processing_unit="U")


def test_what_was_stored_is_encoded_again_to_the_same_bytes():
    codec = JsonCodec(tuple[Discount, ...])
    text = '[{"percentOff":12.5,"reason":"early"},{"percentOff":3.0,"reason":null}]'

    assert dumps_exact(codec.encode(codec.decode(loads_exact(text)))) == text


def test_a_key_of_a_newer_server_is_ignored_and_a_key_of_a_newer_type_has_its_default():
    codec = JsonCodec(Discount)

    assert codec.decode({"percentOff": Decimal("1.5"), "later": True}) == Discount(percent_off=Decimal("1.5"))


def test_null_is_none():
    assert (DIR3.encode(None), DIR3.decode(None)) == (None, None)


def test_a_value_that_was_selected_as_text_is_the_same():
    codec = JsonCodec(tuple[Discount, ...])
    text = '[{"percentOff":9999999999.99,"reason":"early"},{"percentOff":-0.07,"reason":null},{"percentOff":3}]'

    assert codec.decode_text(text) == codec.decode(loads_exact(text))
    assert [one.percent_off for one in codec.decode_text(text)] == [Decimal("9999999999.99"), Decimal("-0.07"), 3]
