"""Items: creation, changes, deactivation and lists; their variants keep their index (interface decisions E)."""

import pytest

from ledgerkit.core.catalog.table import VARIANTS
from ledgerkit.money import dumps_exact, loads_exact


async def item(ana, **fields):
    return await ana.post("/api/catalog", {"name": "Camiseta", "unitPrice": 12.5, **fields})


async def names(ana, query: str = "") -> list[str]:
    return [one["name"] for one in await ana.get(f"/api/catalog{query}")]


def variants(stored_item) -> list[tuple[str, float | None, bool]]:
    return [(one["name"], one["stock"], one["isActive"]) for one in stored_item["variants"]]


async def test_absent_fields_are_empty_or_the_accounts_default(ana):
    item = await ana.post("/api/catalog", {"name": "  Logotipo "})

    plain = {name: item[name] for name in ("type", "name", "unitPrice", "currency", "isActive", "variants", "stock")}
    assert plain == {
        "type": "product",
        "name": "Logotipo",
        "unitPrice": 0,
        "currency": "EUR",
        "isActive": True,
        "variants": [],
        "stock": None,
    }
    empty = ("sku", "barcode", "description", "category", "unit", "cost", "taxRate", "lowStockThreshold")
    assert {item[name] for name in empty} == {None}


async def test_empty_texts_are_none(ana):
    stored_item = await item(ana, sku="", category=" ", barcode="")

    assert (stored_item["sku"], stored_item["category"], stored_item["barcode"]) == (None, None, None)


async def test_a_list_shows_the_same_fields_as_a_single_item(ana):
    full = {"sku": "C-1", "barcode": "8412345678905", "description": "De algodón", "category": "ropa", "unit": "ud"}
    rates = {"cost": 4.2, "taxRate": 21, "lowStockThreshold": 5, "stock": 3.25}
    shades = [{"name": "S", "sku": "C-1-S", "attributes": {"talla": "S"}, "unitPrice": 13, "stock": 1}, {"name": "M"}]

    stored_items = [await item(ana, **full, **rates), await item(ana, variants=shades), await item(ana, type="service")]

    assert sorted(await ana.get("/api/catalog"), key=lambda one: one["id"]) == stored_items


async def test_single_items_are_read_with_their_version(ana, berta):
    stored_item = await item(ana, stock=2)
    await ana.delete(f"/api/catalog/{stored_item['id']}")

    answer = await ana.request("GET", f"/api/catalog/{stored_item['id']}")

    assert answer.json() == {**stored_item, "isActive": False, "updatedAt": answer.json()["updatedAt"]}
    assert answer.headers["ETag"]
    assert (await berta.request("GET", f"/api/catalog/{stored_item['id']}")).status_code == 404


async def test_lists_of_one_category(ana):
    for name, category in (("Gorra", "ropa"), ("Taza", "hogar"), ("Camiseta roja", "ropa"), ("Envío", None)):
        await item(ana, name=name, category=category)

    assert await names(ana, "?category=ropa") == ["Camiseta roja", "Gorra"]
    assert await names(ana, "?category=ropa&search=roja") == ["Camiseta roja"]
    assert await names(ana, "?category=nada") == []


async def test_absent_fields_keep_their_value_and_null_clears(ana):
    stored_item = await item(ana, sku="C-1", cost=4, stock=5)

    changed = await ana.put(f"/api/catalog/{stored_item['id']}", {"cost": None, "category": "ropa"})

    assert changed == {**stored_item, "cost": None, "category": "ropa", "updatedAt": changed["updatedAt"]}


async def test_an_item_sent_back_as_it_was_read_is_unchanged(ana):
    stored_item = await item(ana, stock=3, variants=[{"name": "S", "stock": 2}, {"name": "M"}])
    await ana.put(f"/api/catalog/{stored_item['id']}", {"variants": [{"name": "M"}]})
    [read] = await ana.get("/api/catalog")

    again = await ana.put(f"/api/catalog/{stored_item['id']}", read)

    assert again == {**read, "updatedAt": again["updatedAt"]}


async def test_a_stock_among_the_fields_is_set(ana):
    stored_item = await item(ana, stock=5)

    changed = await ana.put(f"/api/catalog/{stored_item['id']}", {"stock": 8.5})
    untracked = await ana.put(f"/api/catalog/{stored_item['id']}", {"stock": None})

    assert (changed["stock"], untracked["stock"]) == (8.5, None)


@pytest.mark.parametrize(
    ("method", "body", "field"),
    [
        ("POST", {"name": "x", "stock": -1}, "stock"),
        ("PUT", {"stock": -0.0001}, "stock"),
        ("PUT", {"variants": [{"name": "S"}, {"name": "M", "stock": -1}]}, "variants[1].stock"),
    ],
)
async def test_a_stock_below_zero_is_refused(ana, method, body, field):
    stored_item = await item(ana, stock=5)

    path = "/api/catalog" if method == "POST" else f"/api/catalog/{stored_item['id']}"
    problem = await ana.refused(400, method, path, body)

    assert (problem["code"], [error["field"] for error in problem["errors"]]) == ("INSUFFICIENT_STOCK", [field])
    assert await ana.get("/api/catalog") == [stored_item]


async def test_a_service_has_no_stock_whatever_is_sent(ana):
    stored_item = await item(ana, type="service", stock=5, variants=[{"name": "por hora", "stock": 3}])
    product = await item(ana, stock=5)

    changed = await ana.put(f"/api/catalog/{product['id']}", {"type": "service"})

    assert (stored_item["stock"], variants(stored_item), changed["stock"]) == (None, [("por hora", None, True)], None)


async def test_a_deactivated_item_leaves_the_lists_and_can_come_back(ana):
    stored_item = await item(ana, lowStockThreshold=5, stock=1, category="ropa")

    answer = await ana.delete(f"/api/catalog/{stored_item['id']}")
    again = await ana.delete(f"/api/catalog/{stored_item['id']}")

    assert answer == again == {"ok": True}
    assert [await ana.get(f"/api/catalog{place}") for place in ("", "/low-stock", "/categories")] == [[], [], []]
    [hidden] = await ana.get("/api/catalog?includeInactive=true")
    assert hidden == {**stored_item, "isActive": False, "updatedAt": hidden["updatedAt"]}
    back = await ana.put(f"/api/catalog/{stored_item['id']}", {"isActive": True})
    assert await ana.get("/api/catalog") == await ana.get("/api/catalog/low-stock") == [back]


async def test_totals_agree_with_the_list(ana):
    stored_items = [await item(ana, type=kind) for kind in ("product", "service", "service", "product", "product")]
    await ana.delete(f"/api/catalog/{stored_items[0]['id']}")
    await ana.put(f"/api/catalog/{stored_items[1]['id']}", {"type": "product"})
    await ana.post("/api/catalog/import", {"rows": [{"name": "Gorra"}, {"name": "Bolso", "type": "service"}]})

    queries = ["?x=", "?type=product", "?type=service"]
    for query in [*queries, *(f"{one}&includeInactive=true" for one in queries), "?search=camiseta"]:
        answer = await ana.request("GET", f"/api/catalog{query}")

        assert answer.headers["x-total-count"] == str(len(answer.json())), query


async def test_lists_are_by_name_whatever_case_and_accents(ana):
    for name in ("zapato", "Ábaco", "abaco 2", "Bolso"):
        await item(ana, name=name)

    assert await names(ana) == ["Ábaco", "abaco 2", "Bolso", "zapato"]
    assert await names(ana, "?limit=2&page=2") == ["Bolso", "zapato"]


@pytest.mark.parametrize("query", ["CAMION", "camión", "ref-9", "84123", "algodon", "talla xl", "V-77"])
async def test_search_finds_whatever_case_and_accents(ana, query):
    texts = {"sku": "REF-9", "barcode": "8412345678905", "description": "De algodón"}
    await item(ana, name="Camión de juguete", **texts, variants=[{"name": "Talla XL", "sku": "v-77"}])
    await item(ana, name="Otro")

    assert await names(ana, f"?search={query}") == ["Camión de juguete"]


@pytest.mark.parametrize("query", ["%25", "_", "\\"])
async def test_wildcards_in_a_search_are_literal(ana, query):
    await item(ana)

    assert await names(ana, f"?search={query}") == []


async def test_types_are_a_filter(ana):
    await item(ana)
    await item(ana, name="Consultoría", type="service")

    assert [await names(ana, f"?type={kind}") for kind in ("product", "service")] == [["Camiseta"], ["Consultoría"]]
    await ana.refused(400, "GET", "/api/catalog?type=goods")


async def test_categories_stand_once_each_in_order(ana):
    for category in ("ropa", "Ácidos", None, "ropa", "bolsos", "", "Ropa"):
        await item(ana, category=category)

    assert await ana.get("/api/catalog/categories") == ["Ácidos", "bolsos", "Ropa", "ropa"]


async def test_low_stock_is_at_or_below_the_threshold_of_all_or_of_one_variant(ana):
    def of(*levels):
        return [{"name": str(number), "stock": level} for number, level in enumerate(levels)]

    wanted = {
        "below": {"stock": 4, "lowStockThreshold": 5},
        "at": {"stock": 5, "lowStockThreshold": 5},
        "variant": {"variants": of(40, 5), "lowStockThreshold": 5},
    }
    others = {
        "above": {"stock": 5.0001, "lowStockThreshold": 5},
        "no threshold": {"stock": 0},
        "untracked": {"lowStockThreshold": 5},
        "service": {"type": "service", "stock": 1, "lowStockThreshold": 5},
        "untracked variant": {"variants": of(40, None), "lowStockThreshold": 5},
    }
    for name, fields in {**wanted, **others}.items():
        await item(ana, name=name, **fields)

    low = await ana.request("GET", "/api/catalog/low-stock")

    assert [one["name"] for one in low.json()] == sorted(wanted)
    assert low.headers["x-total-count"] == "3"


# ---------------------------------------------------------------- variants


async def test_the_stock_of_an_item_is_the_sum_of_its_variants(ana):
    stored_item = await item(
        ana, stock=99, variants=[{"name": "S", "stock": 2.5}, {"name": "M", "stock": 3}, {"name": "L"}]
    )
    changed = await ana.put(f"/api/catalog/{stored_item['id']}", {"stock": 99})
    none = await ana.put(f"/api/catalog/{stored_item['id']}", {"variants": [{"name": n, "stock": None} for n in "SML"]})

    assert (stored_item["stock"], changed["stock"], none["stock"]) == (5.5, 5.5, None)


async def test_removed_variants_stay_at_their_index_and_new_ones_follow(ana):
    stored_item = await item(
        ana, variants=[{"name": "S", "stock": 1}, {"name": "M", "stock": 2}, {"name": "L", "stock": 3}]
    )
    path = f"/api/catalog/{stored_item['id']}"

    removed = await ana.put(path, {"variants": [{"name": "M"}, {"name": "L"}, {"name": "XL", "stock": 4}]})
    back = await ana.put(path, {"variants": [{"name": "s"}, {"name": "XL", "stock": 5}]})
    none = await ana.put(path, {"variants": []})

    assert variants(removed) == [("S", 1, False), ("M", 2, True), ("L", 3, True), ("XL", 4, True)]
    assert variants(back) == [("s", 1, True), ("M", 2, False), ("L", 3, False), ("XL", 5, True)]
    assert [one["isActive"] for one in none["variants"]] == [False] * 4
    assert removed["stock"] == 10


async def test_a_variant_is_matched_by_its_sku_else_its_name_else_its_index(ana):
    stored_item = await item(ana, variants=[{"name": "S", "sku": "A"}, {"name": "M", "sku": "B"}, {"name": "L"}])
    path = f"/api/catalog/{stored_item['id']}"

    by_sku = await ana.put(path, {"variants": [{"name": "Mediana", "sku": "B"}, {"name": "L"}, {"name": "S"}]})
    renamed = await ana.put(path, {"variants": [{"name": "Pequeña"}, {"name": "Mediana"}, {"name": "L"}]})

    assert [(one["name"], one["sku"]) for one in by_sku["variants"]] == [("S", "A"), ("Mediana", "B"), ("L", None)]
    assert [one["name"] for one in renamed["variants"]] == ["Pequeña", "Mediana", "L"]


async def test_absent_fields_of_a_variant_keep_their_value(ana):
    full = {"name": "S", "sku": "A", "attributes": {"talla": "S"}, "unitPrice": 9.99, "stock": 4}
    stored_item = await item(ana, variants=[full])

    changed = await ana.put(f"/api/catalog/{stored_item['id']}", {"variants": [{"name": "S"}]})

    assert changed["variants"] == stored_item["variants"] == [{**full, "isActive": True}]


async def test_two_variants_of_one_name_stay_two(ana):
    stored_item = await item(ana, variants=[{"name": "Única", "stock": 1}, {"name": "Única", "stock": 2}])

    same = await ana.put(f"/api/catalog/{stored_item['id']}", {"variants": [{"name": "Única"}, {"name": "Única"}]})

    assert variants(same) == variants(stored_item) == [("Única", 1, True), ("Única", 2, True)]


@pytest.mark.parametrize(("count", "status"), [(200, 201), (201, 400)])
async def test_two_hundred_variants_are_sent_at_most(ana, count, status):
    body = {"name": "Camiseta", "variants": [{"name": str(number)} for number in range(count)]}

    answer = await ana.request("POST", "/api/catalog", body)

    assert answer.status_code == status


async def test_a_removed_variant_is_not_renamed_and_another_sku_is_another_variant(ana):
    stored_item = await item(ana, variants=[{"name": "S", "sku": "A", "stock": 1}, {"name": "M", "stock": 2}])
    path = f"/api/catalog/{stored_item['id']}"
    await ana.put(path, {"variants": [{"name": "M"}]})

    after = await ana.put(path, {"variants": [{"name": "L"}, {"name": "M"}]})
    other = await ana.put(path, {"variants": [{"name": "S", "sku": "A"}, {"name": "M", "sku": "B"}]})
    last = await ana.put(path, {"variants": [{"name": "Z", "sku": "Z"}, {"name": "M"}]})

    assert variants(after) == [("S", 1, False), ("M", 2, True), ("L", None, True)]
    assert variants(other) == [("S", 1, True), ("M", 2, True), ("L", None, False)]
    assert variants(last) == [("S", 1, False), ("M", 2, True), ("L", None, False), ("Z", None, True)]


async def test_an_item_has_a_thousand_variants_at_most(ana):
    stored_item = await item(ana)

    async def replaced(turn: int) -> int:
        sent = [{"name": f"{turn}/{number}", "sku": f"{turn}/{number}"} for number in range(200)]
        return (await ana.request("PUT", f"/api/catalog/{stored_item['id']}", {"variants": sent})).status_code

    assert [await replaced(turn) for turn in range(6)] == [200] * 5 + [400]


STORED_VARIANTS = (
    '[{"name": "S", "sku": null, "attributes": {"talla": "S"}, "unitPrice": 9.99, "stock": 4.0, "isActive": true}]'
)


def test_stored_variants_are_decoded_and_encoded_to_the_same_bytes():
    stored = loads_exact(STORED_VARIANTS)

    encoded = VARIANTS.encode(VARIANTS.decode(stored))

    assert list(encoded) == stored
    assert dumps_exact(encoded) == dumps_exact(stored)
