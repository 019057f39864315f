"""Arguments: what is unknown is named, what came as text is read."""

from decimal import Decimal

import pytest
from pydantic.alias_generators import to_camel

from ledgerkit.core.platform.api_types.validation import field_path
from ledgerkit.core.platform.request.bodies import MAX_VALUES
from ledgerkit.core.sales.invoices.api import InvoiceInput, InvoiceItemInput
from ledgerkit.mcp_server.calls import read
from ledgerkit.mcp_server.shapes import body_of
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import TaxCategory
from support.texts import UNSTORABLE, places, planted

ITEM = {"description": "Diseño", "unitPrice": 10}


def new_invoice(**given):
    return read(TOOLS["create_invoice"], {"client": {"name": "Norte"}, "items": [ITEM], **given})


def errors(tool, given):
    with pytest.raises(Invalid) as caught:
        read(TOOLS[tool], given)
    return {error.field: (error.code, error.message) for error in caught.value.errors}


@pytest.mark.parametrize(
    ("given", "field", "near"),
    [
        ({"due_date": "2026-12-31"}, "due_date", "dueDate"),
        ({"taxrate": 21}, "taxrate", "taxRate"),
        ({"client": {"name": "Norte", "nif": "B12345674", "taxID": "B12345674"}}, "client.taxID", "taxId"),
        ({"items": [ITEM, {**ITEM, "unit_price": 3}]}, "items[1].unit_price", "unitPrice"),
        ({"idempotencyKey": "a"}, "idempotencyKey", "idempotency_key"),
    ],
)
def test_a_misspelt_field_is_named_with_the_one_that_was_meant(given, field, near):
    found = errors("create_invoice", {"client": {"name": "Norte"}, "items": [ITEM], **given})

    assert found[field] == ("extra_forbidden", f"Unknown field; did you mean {near}?")


def test_a_field_like_no_other_is_answered_with_the_known_ones():
    found = errors("list_clients", {"zzzz": 1})

    assert found == {"zzzz": ("extra_forbidden", "Unknown field; known fields: detail, cursor, limit, search")}


def test_a_tool_without_arguments_of_its_own_says_so():
    found = errors("whoami", {"verbose": True})

    assert found == {"verbose": ("extra_forbidden", "Unknown field; known fields: detail")}


@pytest.mark.parametrize("tool", ["list_clients", "whoami", "create_invoice"])
def test_a_detail_that_there_is_not_names_those_that_there_are(tool):
    assert errors(tool, {"detail": "brief"})["detail"] == ("literal_error", "must be one of: concise, full")


def test_unknown_and_wrong_fields_are_told_at_once():
    found = errors("create_invoice", {"client": {"name": "Norte"}, "items": [{"description": "x"}], "total": 3})

    assert set(found) == {"total", "items[0].unitPrice"}


@pytest.mark.parametrize("name", ["\ud800", "x" * 5000])
def test_a_strange_name_is_sent_back_fit_to_print(name):
    (field,) = errors("whoami", {name: 1})

    assert len(field.encode()) <= 80


def test_a_flood_of_unknown_fields_is_answered_with_the_first_twenty():
    items = [{**ITEM, f"price{n}": 1, "vat": 21} for n in range(5_000)]

    found = errors("create_invoice", {"client": {"name": "Norte"}, "items": items, "iva": 21})

    assert [name for name, (code, _) in found.items() if code == "extra_forbidden"][:2] == ["iva", "items[0].price0"]
    assert sum(code == "extra_forbidden" for code, _ in found.values()) == 20


def test_lists_and_objects_may_come_as_text():
    data = new_invoice(
        client='{"name": "Sur", "taxId": "B12345674"}', items='["{\\"description\\":\\"x\\",\\"unitPrice\\":2}"]'
    )

    assert (data.client.name, data.client.tax_id, data.items[0].unit_price) == ("Sur", "B12345674", 2)


@pytest.mark.parametrize(
    ("text", "price"), [("40,00", "40"), ("40.5", "40.5"), ("1.234,50 €", "1234.5"), (" 12 ", "12"), ("0,125", "0.125")]
)
def test_a_number_may_come_as_text_as_in_an_import(text, price):
    data = new_invoice(items=[{**ITEM, "unitPrice": text}], taxRate="21 %")

    assert (data.items[0].unit_price, data.tax_rate) == (Decimal(price), 21)


@pytest.mark.parametrize(
    "text", ["1.234", "1,234", "1.234 €", "€ 1.234", "1.234€", "-12.000", "doce", "", "1e3", "NaN", "1" * 41]
)
def test_a_text_that_may_be_two_numbers_or_none_is_refused(text):
    found = errors("create_invoice", {"client": {"name": "Norte"}, "items": [{**ITEM, "unitPrice": text}]})

    assert found["items[0].unitPrice"][0] == "number_type"


def test_a_text_field_may_hold_a_number():
    assert new_invoice(notes="40,00").notes == "40,00"


def test_unknown_fields_within_text_are_named():
    assert "client.nombre" in errors("create_invoice", {"client": '{"nombre": "Sur"}', "items": [ITEM]})


@pytest.mark.parametrize("text", ["{", "[1]", "null", "[" * 100_000, '"x"'])
def test_text_that_holds_no_object_is_refused_as_text(text):
    assert "client" in errors("create_invoice", {"client": text, "items": [ITEM]})


def test_a_text_field_may_hold_json():
    assert new_invoice(notes='{"a": 1}').notes == '{"a": 1}'


def test_the_key_is_not_part_of_the_invoice():
    data = new_invoice(idempotency_key="abc", notes="x")

    assert data.idempotency_key == "abc"
    body = body_of(InvoiceInput, data)
    assert body.model_fields_set == {"client", "items", "notes"}
    assert "idempotency_key" not in body.model_dump(by_alias=True)


@pytest.mark.parametrize("key", ["", "x" * 256, "ñ", "a\nb"])
def test_a_key_is_printable_ascii_of_at_most_255_characters(key):
    assert "idempotency_key" in errors(
        "create_invoice", {"client": {"name": "Norte"}, "items": [ITEM], "idempotency_key": key}
    )


def test_a_text_that_holds_more_values_than_a_body_may_is_not_taken_apart():
    found = errors("create_invoice", {"client": {"name": "Norte"}, "items": "[" + "[]," * MAX_VALUES + "[]]"})

    assert found["items"][0] == "list_type"


@pytest.mark.parametrize("name", TOOLS)
def test_every_text_that_cannot_be_kept_is_refused_where_it_stands(name):
    schema, passed = TOOLS[name].full_schema, []

    for place in places(schema, schema):
        if place == ("image",):  # judged with its encoding, when it is read
            continue
        for text in UNSTORABLE:
            wrong = errors(name, planted({}, place, text))
            named = field_path([part for part in place if part != "{key}"])
            if not any(field.startswith(named) for field in wrong):
                passed.append((place, text))

    assert passed == []


def test_names_of_the_callers_own_are_no_misspelt_fields():
    given = new_invoice(fiscalDetails={"RefExterna": "A-1", "Macrodato": "S"})

    assert given.fiscal_details == {"RefExterna": "A-1", "Macrodato": "S"}


# ---------------------------------------------------------------- every depth


@pytest.mark.parametrize("given", ["x", [1], 3, '"x"'])
def test_other_is_an_object_of_fields(given):
    assert errors("create_invoice", {"client": {"name": "Norte"}, "items": [ITEM], "other": given}) == {
        "other": ("model_type", "must be an object")
    }


def test_other_may_be_empty_or_text():
    assert new_invoice(other=None, notes="x").notes == "x"
    assert new_invoice(other='{"terms": "30 days"}').terms == "30 days"


def test_a_field_that_is_given_twice_is_named():
    arguments = {"client": {"name": "Norte"}, "items": [ITEM], "notes": "a"}

    found = errors("create_invoice", {**arguments, "other": {"notes": "b", "client": {"name": "Sur"}}})

    assert {field: code for field, (code, _) in found.items()} == {
        "other.notes": "given_twice",
        "other.client": "given_twice",
    }
    assert new_invoice(notes="a", other={"notes": "a"}).notes == "a"


def test_no_object_of_any_tool_is_open_without_a_reason():
    open_places = {
        f"{name}.{'.'.join(place)}" for name, tool in TOOLS.items() for place in open_objects(tool.full_schema)
    }

    assert open_places == {
        "import_catalog.rows",  # what no field has is named in warnings
        "add_cash_movement.fiscalDetails",  # fields that the country declares; others are named in warnings
        "create_invoice.fiscalDetails",
        "update_invoice.fiscalDetails",
        "save_catalog_item.variants.attributes",  # names of the caller's own
        "update_tax_declaration.manualOverrides",  # boxes of a form; others are refused by the operation
    }


def open_objects(schema, definitions=None, place=()):
    """Yield the places of objects within a schema that take names which it does not state."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    for alternative in schema.get("anyOf", ()):
        yield from open_objects(alternative, definitions, place)
    if "items" in schema:
        yield from open_objects(schema["items"], definitions, place)
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield place
    for name, inner in schema.get("properties", {}).items():
        yield from open_objects(inner, definitions, (*place, name))


LINE = {"description": "Diseño", "unitPrice": 100}
NESTED = [
    ("create_invoice", {"client": {"name": "Ana", "tax_id": "X"}, "items": [LINE]}, "client.tax_id"),
    ("create_invoice", {"client": {"name": "Ana"}, "items": [{**LINE, "vat": 21}]}, "items[0].vat"),
    ("create_invoice", {"other": {"thirdParty": {"name": "A", "taxId": "B", "nif": "C"}}}, "thirdParty.nif"),
    ("create_supplier_invoice", {"items": [{**LINE, "iva": 21}]}, "items[0].iva"),
    ("save_catalog_item", {"name": "Té", "variants": [{"name": "S", "price": 1}]}, "variants[0].price"),
    ("adjust_stock", {"adjustments": [{"itemId": "x", "adjustment": 1, "delta": 9}]}, "adjustments[0].delta"),
    ("update_tax_declaration", {"id": "x", "amends": {"receiptNumber": "1", "number": 1}}, "amends.number"),
    ("add_cash_movement", {"id": "x", "lineItems": [{**LINE, "sku": "S"}]}, "lineItems[0].sku"),
    ("save_client", {"name": "Ana", "dir3": {"office": "x", "foo": "y"}}, "dir3.foo"),
]


@pytest.mark.parametrize(("name", "arguments", "field"), NESTED, ids=[field for _, _, field in NESTED])
def test_an_unknown_field_is_refused_at_every_depth(name, arguments, field):
    with pytest.raises(Invalid) as caught:
        read(TOOLS[name], arguments)

    assert (field, "extra_forbidden") in [(one.field, one.code) for one in caught.value.errors]


def test_all_fields_of_a_line_are_published():
    line = TOOLS["create_invoice"].schema["properties"]["items"]["items"]

    assert set(line["properties"]) == {to_camel(name) for name in InvoiceItemInput.model_fields}
    assert line["properties"]["taxCategory"]["enum"] == [one.value for one in TaxCategory]
    assert line["additionalProperties"] is False
