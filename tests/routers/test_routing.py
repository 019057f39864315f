"""Routers: a route says which operation it calls, or that it calls none."""

import pytest

from ledgerkit.core.platform.request.operation import declared
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.routers.routing import Router


async def endpoint() -> None:
    """Answer nothing."""


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
def test_every_method_takes_the_operation_and_serves_the_function(method):
    router = Router(prefix="/api/vendors")

    served = getattr(router, method)("/{id}", operation=vendors.get, operation_id="getVendor")(endpoint)

    [route] = router.routes
    assert served is endpoint
    assert (route.path, route.methods, route.endpoint) == ("/api/vendors/{id}", {method.upper()}, endpoint)
    assert (route.operation, route.operation_id) == (declared(vendors.get), "getVendor")


def test_a_route_that_calls_none_says_so():
    router = Router()
    router.get("/health", operation=None)(endpoint)

    assert [route.operation for route in router.routes] == [None]


def test_a_route_without_a_word_about_its_operation_is_refused():
    with pytest.raises(TypeError, match="operation"):
        Router().get("/api/vendors")


def test_what_is_no_operation_cannot_be_named():
    with pytest.raises(KeyError, match="match_or_create"):
        Router().get("/api/vendors", operation=vendors.match_or_create)
