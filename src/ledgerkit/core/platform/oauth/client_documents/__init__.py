"""Clients that are described by a document at their own address (Client ID Metadata Documents)."""

from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.oauth.client_documents.fetcher import Fetcher
from ledgerkit.core.platform.request.context import Kernel

__all__ = ["ClientDocuments", "Fetcher", "client_of"]


async def client_of(kernel: Kernel, url: str) -> ClientMetadata:
    """Return the client whose id is the address `url`. Call it outside of any transaction: it may ask the network.

    Raises Invalid, naming `client_id`, for a document that cannot be had or is not valid; Unavailable BUSY.
    """
    return await kernel.service(ClientDocuments).client(url)
