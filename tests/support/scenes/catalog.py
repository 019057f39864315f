"""Catalog and stock."""

from uuid import uuid4

from support.api import Api
from support.scenes.ask import EVERYBODY, STOCK_KEEPERS, Ask, Failing, Of

ITEM = {"type": "product", "name": "Camiseta", "category": "ropa", "unitPrice": 12.5, "stock": 40}
VARIANTS = [{"name": "S", "stock": 20}, {"name": "M", "stock": 20}]
ANALYSIS = {
    "invoiceNumber": "2026/118",
    "items": [
        {"name": "Camiseta", "quantity": 10, "unitPrice": 4.2, "matchedItemId": Of("item")},
        {"name": "Gorra", "quantity": 5, "unitPrice": 3.1, "taxRate": 21, "suggestedAction": "create"},
    ],
}

ASKS: dict[str, Ask] = {
    "GET /api/catalog": Ask(allowed=EVERYBODY),
    "POST /api/catalog": Ask(body=ITEM, allowed=STOCK_KEEPERS),
    "GET /api/catalog/categories": Ask(allowed=EVERYBODY),
    "GET /api/catalog/{id}": Ask("item", allowed=EVERYBODY),
    "PUT /api/catalog/{id}": Ask("item", {"name": "Camiseta azul"}, allowed=STOCK_KEEPERS),
    "DELETE /api/catalog/{id}": Ask("doomed item", allowed=STOCK_KEEPERS),
    "PATCH /api/catalog/{id}/stock": Ask("item", {"delta": -1}, allowed=STOCK_KEEPERS),
    "GET /api/catalog/low-stock": Ask(allowed=EVERYBODY),
    "GET /api/catalog/export": Ask(allowed=EVERYBODY),
    "POST /api/catalog/import": Ask(body={"rows": [ITEM]}, allowed=STOCK_KEEPERS),
    "POST /api/catalog/bulk-stock": Ask(
        body={"adjustments": [{"itemId": Of("item"), "adjustment": 1}]}, allowed=STOCK_KEEPERS
    ),
    "PATCH /api/catalog/{id}/variant-stock": Ask(
        "item with variants", {"variantIndex": 1, "adjustment": -2}, allowed=STOCK_KEEPERS
    ),
    "POST /api/catalog/import-invoice": Ask(body={"image": "data:image/png;base64,"}, allowed=STOCK_KEEPERS),
    "POST /api/catalog/confirm-import": Ask(body={"analysis": ANALYSIS}, allowed=STOCK_KEEPERS),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /api/catalog/import", 400): Failing("POST", "/api/catalog/import", {"rows": [ITEM] * 501}),
    ("POST /api/catalog/bulk-stock", 400): Failing(
        "POST", "/api/catalog/bulk-stock", {"adjustments": [{"itemId": str(uuid4()), "adjustment": 1}]}
    ),
    ("PATCH /api/catalog/{id}/variant-stock", 400): Failing(
        "PATCH", f"/api/catalog/{uuid4()}/variant-stock", {"variantIndex": -1, "adjustment": 1}
    ),
    ("PATCH /api/catalog/{id}/variant-stock", 404): Failing(
        "PATCH", f"/api/catalog/{uuid4()}/variant-stock", {"variantIndex": 0, "adjustment": 1}
    ),
    ("POST /api/catalog/import-invoice", 400): Failing("POST", "/api/catalog/import-invoice", {"image": "x"}),
    ("POST /api/catalog/confirm-import", 400): Failing("POST", "/api/catalog/confirm-import", {"analysis": {}}),
}

FILLS = ("catalog_item", "stock_movement")
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    kept = await api.post("/api/catalog", {**ITEM, "lowStockThreshold": 50})
    varied = await api.post("/api/catalog", {**ITEM, "variants": VARIANTS})
    gone = await api.post("/api/catalog", ITEM)
    return {"item": kept["id"], "item with variants": varied["id"], "doomed item": gone["id"]}
