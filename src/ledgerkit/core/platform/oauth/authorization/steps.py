"""Checks of an authorization request: the client, the address that the answer may go to, and all parameters."""

from dataclasses import dataclass

from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.authorization import requests
from ledgerkit.core.platform.oauth.authorization.requests import AuthorizationRequest
from ledgerkit.core.platform.oauth.clients import identification as clients
from ledgerkit.core.platform.oauth.protocol import errors, random_secrets, redirects, server
from ledgerkit.core.platform.oauth.protocol.errors import OAuthErrorCode
from ledgerkit.core.platform.oauth.protocol.parameters import Parameters
from ledgerkit.core.platform.oauth.texts import OAuthMsg
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.scopes import Scope, scopes_named
from ledgerkit.problems import Invalid
from ledgerkit.settings import Settings


@dataclass(frozen=True)
class AuthorizationStep:
    """Next address of the person's browser.

    Without a `refusal` it is the consent page of `request_id`. With a `refusal` it is the client's address with the
    error, and only the person sends the browser there: a redirect could lead to any address that somebody has
    registered (RFC 9700 §4.11.2).
    """

    location: str
    request_id: str | None = None
    refusal: Invalid | None = None


async def next_step(kernel: Kernel, parameters: Parameters) -> AuthorizationStep:
    """Check a request and store it for the consent page; the error of an invalid one may go back to the client.

    Raises Invalid where the client or its redirect URI is not valid, so that the answer cannot go there
    (RFC 6749 §4.1.2.1).
    """
    client_id = parameters.required("client_id")
    client = await clients.find(kernel, client_id)
    if client is None:
        raise errors.refused(OAuthMsg.CLIENT_UNKNOWN, OAuthErrorCode.INVALID_CLIENT)
    redirect_uri = _redirect_uri(client, parameters.optional("redirect_uri"))
    try:
        state = parameters.optional("state")
    except Invalid as error:
        return _error(kernel, redirect_uri, error, None)
    try:
        challenge = _challenge(parameters)
        request = AuthorizationRequest(
            client_id=client_id,
            client_name=client.client_name or client_id,
            redirect_uri=redirect_uri,
            scopes=tuple(requested_scopes(parameters)) or server.DEFAULT_SCOPES,
            resource=requested_resource(kernel.settings, parameters),
            state=state,
        )
    except Invalid as error:
        return _error(kernel, redirect_uri, error, state)
    request_id = await requests.store(kernel, request, challenge)
    return AuthorizationStep(f"{server.issuer(kernel.settings)}/oauth/consent?request={request_id}", request_id)


def requested_scopes(parameters: Parameters) -> list[Scope]:
    """Return the scopes asked for, none where there is no parameter. Raises Invalid INVALID_SCOPE."""
    names = set((parameters.optional("scope") or "").split())
    if not names <= set(server.SUPPORTED_SCOPES):
        supported = " ".join(server.SUPPORTED_SCOPES)
        raise errors.refused(OAuthMsg.SCOPE_UNKNOWN, OAuthErrorCode.INVALID_SCOPE, supported=supported)
    return scopes_named(names)


def requested_resource(settings: Settings, parameters: Parameters) -> str:
    """Return the resource asked for, which is /mcp where none is named (RFC 8707 §2).

    A slash at its end and capitals in scheme and host are forgiven. Raises Invalid INVALID_TARGET for any other.
    """
    resource = server.resource(settings)
    if not all(server.is_resource(settings, resource) for resource in parameters.several("resource")):
        raise errors.refused(OAuthMsg.RESOURCE_UNKNOWN, OAuthErrorCode.INVALID_TARGET, resource=resource)
    return resource


def _redirect_uri(client: ClientMetadata, requested: str | None) -> str:
    if requested is None:
        if len(client.redirect_uris) != 1:
            raise errors.refused(OAuthMsg.PARAMETER_MISSING, name="redirect_uri")
        return client.redirect_uris[0]
    if not any(redirects.matches(requested, registered) for registered in client.redirect_uris):
        raise errors.refused(OAuthMsg.REDIRECT_URI_UNKNOWN)
    return requested


def _challenge(parameters: Parameters) -> str:
    """Return the challenge of a request for a code. Raises Invalid for anything else."""
    if parameters.required("response_type") != "code":
        raise errors.refused(OAuthMsg.RESPONSE_TYPE_UNSUPPORTED, OAuthErrorCode.UNSUPPORTED_RESPONSE_TYPE)
    if parameters.optional("response_mode") not in {None, "query"}:
        raise errors.refused(OAuthMsg.RESPONSE_MODE_UNSUPPORTED)
    challenge, method = parameters.required("code_challenge"), parameters.optional("code_challenge_method")
    if method != random_secrets.CHALLENGE_METHOD or not random_secrets.is_challenge(challenge):
        raise errors.refused(OAuthMsg.CHALLENGE_UNUSABLE)
    return challenge


def _error(kernel: Kernel, redirect_uri: str, error: Invalid, state: str | None) -> AuthorizationStep:
    iss = server.issuer(kernel.settings)
    location = redirects.with_parameters(redirect_uri, **errors.parameters(error), state=state, iss=iss)
    return AuthorizationStep(location, refusal=error)
