"""A sandbox authority: a stand-in for the Spanish tax agency's VERI*FACTU service, without fiscal effect.

It speaks the real protocol (SOAP 1.1 over mutual TLS, on loopback, with certificates that it makes itself) and is
written apart from ledgerkit's own channel: it recomputes fingerprints and totals from the XML it receives, so that
it catches mistakes of the channel instead of sharing them. It keeps what it accepted in its directory, so that
duplicates and chains are known after a restart.

It refuses, with the authority's codes, what the authority can refuse without its census, VIES or agreements. A
record can ask for trouble by the text of its description, for example `[sandbox:reject 1124]`, `[sandbox:warn 2001]`,
`[sandbox:fault 4102]`, `[sandbox:wait 120]`, `[sandbox:delay 8]`, `[sandbox:lost]` or `[sandbox:taken 605000]`: see
`faults`.

It answers the issuer's questions about what it holds (ConsultaFactuSistemaFacturacion), page by page; those of a
recipient are not offered. The service for demands (RequerimientoSOAP) checks signatures, and registers nothing.
"""

from pathlib import Path

from ledgerkit.providers.es.sandbox.faults import Fault, Faults, HttpAnswer, Spoil
from ledgerkit.providers.es.sandbox.server import VerifactuSandbox, serve_forever

__all__ = ["Fault", "Faults", "HttpAnswer", "Spoil", "VerifactuSandbox", "sandbox", "serve_forever"]


def sandbox(
    directory: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Faults | None = None,
    wait_seconds: int = 0,
) -> VerifactuSandbox:
    """A sandbox that keeps its state and certificates in `directory` (made when absent); not yet started.

    `port` 0 takes a free one. `wait_seconds` (0 to 9999) is the pause that answers ask for; the real authority asks
    for 60, this one for none so that a first try goes through at once.
    """
    return VerifactuSandbox(directory, host=host, port=port, faults=faults or Faults(), wait_seconds=wait_seconds)
