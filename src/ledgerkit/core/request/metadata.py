"""What travels beside the body of a request and of its answer."""

from dataclasses import dataclass, field

from ledgerkit.texts import ENGLISH


@dataclass(kw_only=True)
class RequestMetadata:
    """What travels beside the body: asked by the caller (key, expected version), told in return."""

    request_id: str = ""
    client_address: str = ""
    language: str = ENGLISH
    idempotency_key: str | None = None
    if_match: frozenset[str] | None = None
    replayed: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    def expects(self, version: int) -> bool:
        """Whether the caller's If-Match, if any, names this version. The first record that is asked answers for all."""
        expected, self.if_match = self.if_match, None
        return expected is None or str(version) in expected
