"""Export and import of the catalog as a file (interface decisions E5, E9)."""

import csv
from io import StringIO

import pytest

from ledgerkit.core.platform.imports.cells import RowError, number
from ledgerkit.core.platform.imports.rows import row_ranges

HEADER = "id,type,name,sku,category,unit,unitPrice,cost,taxRate,stock,lowStockThreshold,variants,isActive"


async def exported(ana, query: str = "", delimiter: str = ",") -> list[dict[str, str]]:
    answer = await ana.request("GET", f"/api/catalog/export{query}")
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text, newline=""), delimiter=delimiter))


async def imported(ana, *rows):
    return await ana.post("/api/catalog/import", {"rows": list(rows)})


async def items(ana) -> dict[str, dict[str, object]]:
    return {one["name"]: one for one in await ana.get("/api/catalog?includeInactive=true")}


# ---------------------------------------------------------------- out


async def test_the_file_is_what_a_spreadsheet_opens(ana):
    await ana.post("/api/catalog", {"name": "Ñu", "sku": "N-1", "unitPrice": 12.5, "stock": 3, "taxRate": 21})

    answer = await ana.request("GET", "/api/catalog/export")

    lines = answer.content.split(b"\r\n")
    assert lines[0] == b"\xef\xbb\xbf" + HEADER.encode()
    assert (len(lines), lines[-1]) == (3, b"")
    assert "catalog.csv" in answer.headers["content-disposition"]
    assert answer.headers["content-disposition"].startswith("attachment")


async def test_the_export_has_all_items(ana):
    item = await ana.post("/api/catalog", {"name": "Bolso", "stock": -0.0, "lowStockThreshold": 2.5, "cost": 0.0001})
    await ana.post("/api/catalog", {"name": "Abrigo", "variants": [{"name": "S", "stock": 2}], "unitPrice": 1234567})
    await ana.delete(f"/api/catalog/{item['id']}")

    second, first = await exported(ana)

    assert {
        "name": "Abrigo",
        "unitPrice": "1234567",
        "stock": "2",
        "cost": "",
        "isActive": "true",
    }.items() <= first.items()
    assert first["variants"].startswith('[{"name":"S"')
    wanted = {"id": item["id"], "stock": "0", "lowStockThreshold": "2.5", "cost": "0.0001", "isActive": "false"}
    assert wanted.items() <= second.items()


FORMULAS = ["=1+1", "+34600", "-2", "@SUM(A1)", "=cmd|' /C calc'!A0", "\uff1d1"]


@pytest.mark.parametrize("text", FORMULAS)
async def test_exported_texts_are_never_formulas(ana, text):
    await ana.post("/api/catalog", {"name": text, "sku": text, "category": text, "unit": text})

    [row] = await exported(ana)

    assert {row[name] for name in ("name", "sku", "category", "unit")} == {f"'{text}"}


async def test_quotes_and_delimiters_stay_in_their_cell(ana):
    name = 'Mesa, "grande"; roja'
    await ana.post("/api/catalog", {"name": name, "category": "a;b, c"})

    for query, delimiter in (("", ","), ("?delimiter=%3B", ";")):
        [row] = await exported(ana, query, delimiter)
        assert (row["name"], row["category"]) == (name, "a;b, c")


async def test_with_semicolons_numbers_have_decimal_commas(ana):
    item = await ana.post("/api/catalog", {"name": "Mesa", "unitPrice": 12.5, "stock": 1})

    [row] = await exported(ana, "?delimiter=%3B", ";")

    assert (row["id"], row["unitPrice"], row["stock"]) == (item["id"], "12,5", "1")
    await ana.refused(400, "GET", "/api/catalog/export?delimiter=|")


@pytest.mark.parametrize(("query", "delimiter"), [("", ","), ("?delimiter=%3B", ";")])
async def test_importing_an_export_changes_nothing(ana, query, delimiter):
    await ana.post("/api/catalog", {"name": "=Mesa", "sku": "M", "unitPrice": 1234.5, "cost": 3.3333, "stock": 2.5})
    await ana.post("/api/catalog", {"name": "Silla", "variants": [{"name": "S", "stock": 2}, {"name": "M"}]})
    item = await ana.post("/api/catalog", {"name": "Banco", "type": "service", "taxRate": 10})
    await ana.delete(f"/api/catalog/{item['id']}")
    before = await items(ana)

    result = await imported(ana, *(await exported(ana, query, delimiter)))

    assert result == {"imported": 3, "errors": [], "warnings": []}
    after = await items(ana)
    assert after == {name: {**one, "updatedAt": after[name]["updatedAt"]} for name, one in before.items()}


# ---------------------------------------------------------------- in


async def test_rows_create_items_and_a_known_sku_changes_its_item(ana):
    old = await ana.post("/api/catalog", {"name": "Mesa", "sku": "M-1", "unitPrice": 10, "cost": 4, "stock": 3})

    result = await imported(ana, {"name": "Mesa nueva", "sku": "m-1", "stock": 8}, {"name": "Silla", "sku": "S-1"})

    assert result == {"imported": 2, "errors": [], "warnings": []}
    items_by_name = await items(ana)
    assert items_by_name.keys() == {"Mesa nueva", "Silla"}
    changed = {"name": "Mesa nueva", "sku": "m-1", "stock": 8, "updatedAt": items_by_name["Mesa nueva"]["updatedAt"]}
    assert items_by_name["Mesa nueva"] == {**old, **changed}


async def test_invalid_rows_are_reported_by_number_and_valid_ones_stored(ana):
    result = await imported(
        ana,
        {"name": "Mesa"},
        {"name": "Silla", "unitPrice": "doce"},
        {"sku": "X"},
        "Banco",
        {"name": "Cama", "stock": -1},
        {"name": "Mueble", "type": "thing"},
        {"name": "x" * 121},
        {"name;sku": "Lámpara;L-1"},
        {},
        {"name": "Sofá"},
    )

    assert result["imported"] == 2
    assert result["errors"][0] == "row 2: unitPrice: 'doce' is no number"
    assert result["errors"][1] == "row 3: name is required"
    assert [error.partition(":")[0] for error in result["errors"]] == [f"row {n}" for n in (2, 3, 4, 5, 6, 7, 8, 9)]
    assert (await items(ana)).keys() == {"Mesa", "Sofá"}


async def test_the_first_of_several_rows_with_one_sku_is_stored_and_the_others_reported(ana):
    await ana.post("/api/catalog", {"name": "Vieja", "sku": "V"})

    result = await imported(
        ana,
        {"name": "Mesa", "sku": "M"},
        {"name": "Mesa", "sku": "m "},
        {"name": "Nueva", "sku": "V"},
        {"name": "Otra", "sku": "v"},
        {"name": "Sin"},
        {"name": "Sin"},
    )

    assert result["imported"] == 4
    assert result["errors"] == ["row 2: is the same item as row 1: sku m", "row 4: is the same item as row 3: sku v"]


async def test_a_sku_of_several_items_is_reported_and_an_id_selects_one(ana):
    first, second = [await ana.post("/api/catalog", {"name": "Mesa", "sku": "M"}) for _ in range(2)]

    unclear = await imported(ana, {"name": "Cuál", "sku": "M"})
    clear = await imported(ana, {"id": second["id"], "name": "Ésta", "sku": "M"}, {"id": second["id"], "name": "Otra"})

    assert unclear["imported"] == 0
    assert "2 items" in unclear["errors"][0]
    assert (clear["imported"], len(clear["errors"])) == (1, 1)
    assert {one["id"]: one["name"] for one in await ana.get("/api/catalog")} == {
        first["id"]: "Mesa",
        second["id"]: "Ésta",
    }


async def test_ids_of_other_accounts_create_new_items(ana, berta):
    hers = await berta.post("/api/catalog", {"name": "De Berta", "sku": "B"})

    await imported(ana, {"id": hers["id"], "name": "De Ana", "sku": "B"})

    assert await berta.get("/api/catalog") == [hers]
    assert [one["name"] for one in await ana.get("/api/catalog")] == ["De Ana"]


async def test_names_and_values_are_read_as_files_write_them(ana):
    row = {
        "\ufeffName": " Mesa ",
        "SKU": "M-1",
        "unit_price": "1.234,50 €",
        "Cost": "12,5",
        "taxRate": "21%",
        "STOCK": "3.5",
        "lowStockThreshold": "",
        "type": "Product",
        "isActive": "sí",
        "variants": "",
        "colour": "red",
    }

    assert await imported(ana, row) == {
        "imported": 1,
        "errors": [],
        "warnings": ["These columns are unknown and were not read: colour."],
    }

    [stored_item] = await ana.get("/api/catalog")
    wanted = {"name": "Mesa", "sku": "M-1", "unitPrice": 1234.5, "cost": 12.5, "taxRate": 21, "stock": 3.5}
    assert wanted.items() <= stored_item.items()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.50", "12.5"),
        ("12,50", "12.5"),
        ("1.234", "1.234"),
        ("1,234", "1.234"),
        ("1.234,5", "1234.5"),
        ("1,234.5", "1234.5"),
        ("1.234.567", "1234567"),
        ("1,234,567", "1234567"),
        ("1 234,5", "1234.5"),
        ("1\u00a0234", "1234"),
        ("-3", "-3"),
        (",5", "0.5"),
    ],
)
def test_numbers_as_files_write_them(text, value):
    assert f"{number(text, 'cost').normalize():f}" == value


@pytest.mark.parametrize(
    "text", ["", "x", "1e5", "NaN", "Infinity", "1.2.3", "1,2,3", "--1", "0x10", "١٢", "1,2.3.4", "1,2.5"]
)
def test_texts_that_are_no_numbers_are_refused(text):
    with pytest.raises(RowError):
        number(text, "cost")


@pytest.mark.parametrize(("count", "status"), [(0, 200), (500, 200), (501, 400)])
async def test_five_hundred_rows_are_taken_at_most(ana, count, status):
    rows = [{"name": f"Pieza {number}", "sku": f"P-{number}", "stock": 1} for number in range(count)]

    answer = await ana.request("POST", "/api/catalog/import", {"rows": rows})

    assert answer.status_code == status
    if status == 200:
        assert answer.json() == {"imported": count, "errors": [], "warnings": []}
        again = await ana.post("/api/catalog/import", {"rows": rows})
        assert again == {"imported": count, "errors": [], "warnings": []}
    listed = await ana.request("GET", "/api/catalog?limit=1")
    assert listed.headers["x-total-count"] == str(count if status == 200 else 0)


async def test_columns_that_nobody_knows_are_named(ana):
    rows = [
        {"name": "Té", "unitPrice": 5, "iva": 10},
        {"name": "Café", "Unit_Price": 4, "precio": 4, "iva": 10, "": ""},
    ]

    named = ["iva (did you mean taxRate?)", "precio (did you mean unitPrice?)"]

    result = await imported(ana, *rows)

    assert result == {
        "imported": 2,
        "errors": [],
        "warnings": [f"These columns are unknown and were not read: {', '.join(named)}."],
    }


async def test_of_many_unknown_columns_the_first_are_named(ana):
    result = await imported(ana, {"name": "Té", **{f"c{place}": 1 for place in range(30)}})

    [warning] = result["warnings"]
    assert warning.endswith("c18, c19, 10 more.")


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("unit price €", "unitPrice"),
        ("Nombre", "name"),
        ("tax_rat", "taxRate"),
        ("Código", "sku"),
        ("Descripción", "description"),
        ("low stock treshold", "lowStockThreshold"),
    ],
)
async def test_the_column_that_may_be_meant_is_proposed(ana, column, meant):
    result = await imported(ana, {"name": "Té", column: "1"})

    assert result["warnings"] == [f"These columns are unknown and were not read: {column} (did you mean {meant}?)."]


async def test_unknown_names_within_variants_and_cells_without_a_name_are_told(ana):
    variants = [{"name": "S", "price": 3, "colour": "red"}, {"name": "M", "price": 3}]

    result = await imported(ana, {"name": "Té", "variants": variants, "": "lost"}, {"name": "Café", "": " "})

    assert result["imported"] == 2
    [warning] = result["warnings"]
    named = ['""', "variants.price (did you mean variants.unitPrice?)", "variants.colour"]
    assert warning.endswith(f"not read: {', '.join(named)}.")


async def test_a_rate_that_is_not_in_force_is_told_with_its_items(ana):
    rows = [
        {"name": "Té", "taxRate": 19},
        {"name": "Café", "taxRate": "21 %"},
        {"name": "Mate", "taxRate": "19,0"},
        {"name": "Tila", "taxRate": 19},
        {"name": "Anís", "taxRate": 16},
        {"name": "", "taxRate": 15},
    ]

    result = await imported(ana, *rows)

    assert result["imported"] == 5
    first, second = result["warnings"]
    assert first.startswith("taxRate 19 is no rate in force today (21, 10, 4, 0")
    assert "): Té, Mate, Tila." in first
    assert second.startswith("taxRate 16 ")
    many = await imported(ana, *[{"name": f"N{place}", "taxRate": 7} for place in range(9)])
    assert "): N0, N1, N2, N3, N4, 4 more." in many["warnings"][0]
    again = await imported(ana, *(await exported(ana)))
    assert again["warnings"] == []  # their items have these rates already


async def test_each_row_in_error_has_its_line_over_rest(ana):
    result = await imported(ana, *[{"nombre": "Té"}] * 3)

    assert result["errors"] == [f"row {place}: name is required" for place in (1, 2, 3)]
    assert "nombre (did you mean name?)" in result["warnings"][0]


def test_ranges_of_rows():
    assert row_ranges([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
    assert row_ranges([4]) == "4"
