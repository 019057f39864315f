"""Modules that are imported at their first use."""

from functools import cache
from importlib import import_module
from typing import Any

from ledgerkit.providers.api import Access, Delivery, Environment
from ledgerkit.providers.es.verifactu.setup import Endpoints


@cache
def lazy_import(module: str) -> Any:
    """A module of this package, imported at its first use.

    The HTTP client, cryptography, lxml and pydantic-settings take half a second to load, the rules and codes a
    twentieth, and a country must be cheap to import (`ledgerkit --help` lists it too). This is the only place that
    loads anything late.
    """
    return import_module(f"{__package__}.{module}")


async def delivered(
    message: bytes,
    endpoints: Endpoints,
    environment: Environment,
    issuer_access: Access | None,
    *,
    timeout_seconds: float,
) -> Delivery:
    """Deliver `message` to the environment's endpoint. Never raises: a missing endpoint is a failed Delivery."""
    try:
        endpoint = endpoints(environment, issuer_access)
    except ValueError as failure:
        return Delivery(status=None, body=b"", error=f"the certificate cannot be used: {failure}", sent=False)
    if endpoint is None:
        return Delivery(status=None, body=b"", error=f"no service is configured for {environment}", sent=False)
    delivery: Delivery = await lazy_import("transport").deliver(endpoint, message, timeout_seconds=timeout_seconds)
    return delivery
