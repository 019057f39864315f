"""Reasons why a client's document is not used."""

from ledgerkit.core.platform.oauth.client_documents.texts import ClientDocumentMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts import problem_text


class UnusableDocumentError(Exception):
    """A document that cannot be had or is not valid, and the reason."""

    def __init__(self, reason: ClientDocumentMsg, **values: object) -> None:
        super().__init__(reason)
        self._reason = reason
        self._values = values

    def problem(self, url: str) -> Invalid:
        """Return the refusal of the client whose id is `url`."""
        return Invalid.field("client_id", problem_text(self._reason, {"url": url, **self._values}))
