"""Metadata of a request and its answer: everything beside the body."""

from dataclasses import dataclass, field

from ledgerkit.core.platform.request.departure import Departure
from ledgerkit.core.platform.request.previews import Preview
from ledgerkit.texts import ENGLISH


@dataclass(kw_only=True)
class RequestMetadata:
    """Metadata beside the body: given by the caller (key, expected version), and returned with the answer.

    `tool` is the MCP tool that was called. `dry_run`: run the operation, answer, and roll everything back.
    Its outcome is then in `preview`. `departure`: whether the caller has left.
    """

    request_id: str = ""
    client_address: str = ""
    language: str = ENGLISH
    idempotency_key: str | None = None
    if_match: frozenset[str] | None = None
    tool: str | None = None
    dry_run: bool = False
    preview: Preview[object] | None = None
    replayed: bool = False
    departure: Departure = field(default_factory=Departure)
    headers: dict[str, str] = field(default_factory=dict)

    def expects(self, version: int) -> bool:
        """Return True unless the caller's If-Match names another version. The first record asked answers for all."""
        expected, self.if_match = self.if_match, None
        return expected is None or str(version) in expected
