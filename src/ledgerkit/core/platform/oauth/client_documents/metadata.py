"""Content of a document that describes a client, read and checked.

Source: draft-ietf-oauth-client-id-metadata-document-00, section 4; RFC 7591 §2.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ledgerkit.core.platform.api_types.fields import PRINTABLE
from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.client_documents.urls import UnusableDocumentError
from ledgerkit.core.platform.oauth.protocol.redirects import is_acceptable
from ledgerkit.core.platform.oauth.texts import ClientDocumentMsg

MAX_REDIRECT_URIS = 20
_CODE, _CODE_GRANT, _NO_SECRET = "code", "authorization_code", "none"


class _Document(BaseModel):
    """Members of a document that are read; a document may have others."""

    model_config = ConfigDict(strict=True)

    client_id: str
    client_name: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=r"^[^\t\r\n]*$"), PRINTABLE
    ]
    redirect_uris: Annotated[list[str], Field(min_length=1, max_length=MAX_REDIRECT_URIS)]
    token_endpoint_auth_method: str = _NO_SECRET
    client_secret: object = None
    grant_types: list[str] = Field(default_factory=lambda: [_CODE_GRANT, "refresh_token"])
    response_types: list[str] = Field(default_factory=lambda: [_CODE])


def read_metadata(url: str, content: bytes) -> ClientMetadata:
    """Return what the document at `url` says about its client. Raises UnusableDocumentError."""
    try:
        document = _Document.model_validate_json(content)
    except ValidationError as error:
        raise _invalid(error) from None
    if document.client_id != url:
        raise UnusableDocumentError(ClientDocumentMsg.OTHER_CLIENT)
    if document.token_endpoint_auth_method != _NO_SECRET or document.client_secret is not None:
        raise UnusableDocumentError(ClientDocumentMsg.NOT_PUBLIC_CLIENT)
    _require_member("grant_types", document.grant_types, _CODE_GRANT)
    _require_member("response_types", document.response_types, _CODE)
    for uri in document.redirect_uris:
        if not is_acceptable(uri):
            raise UnusableDocumentError(ClientDocumentMsg.REDIRECT_REFUSED, uri=uri)
    return ClientMetadata(
        client_name=document.client_name,
        redirect_uris=tuple(document.redirect_uris),
        grant_types=tuple(document.grant_types),
    )


def _invalid(error: ValidationError) -> UnusableDocumentError:
    """Return the refusal of the first member at fault, or of content that is no JSON object."""
    place = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    if not place:
        return UnusableDocumentError(ClientDocumentMsg.NOT_JSON)
    return UnusableDocumentError(ClientDocumentMsg.FIELD_INVALID, member=place[0])


def _require_member(member: str, values: list[str], needed: str) -> None:
    if needed not in values:
        raise UnusableDocumentError(ClientDocumentMsg.FIELD_INVALID, member=member)
