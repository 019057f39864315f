"""Cache of client documents, and the fetches under way."""

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from ledgerkit import clock
from ledgerkit.core.platform.oauth.api import ClientMetadata
from ledgerkit.core.platform.oauth.client_documents.fetcher import Fetcher, Lookup
from ledgerkit.core.platform.oauth.client_documents.metadata import read_metadata
from ledgerkit.core.platform.oauth.client_documents.urls import DocumentUrl, UnusableDocumentError, document_url
from ledgerkit.core.platform.oauth.texts import ClientDocumentMsg
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Code, Unavailable

SECONDS = 5.0
"""Longest time of one fetch, with the look-up of its host."""

AT_ONCE = 16
AT_ONCE_FROM_ONE_HOST = 2
"""Fetches under way in this process: a host that does not answer takes few of the places."""

SHORTEST, LONGEST = timedelta(seconds=60), timedelta(hours=24)
"""Bounds of the time for which a document is used without asking again, whatever its server says."""

REFUSALS_LAST = timedelta(seconds=30)
MOST_ENTRIES = 1000

log = structlog.get_logger()


@dataclass(frozen=True)
class _Entry:
    """Outcome of a fetch: the client, or the reason why there is none; `until` is when it is fetched again."""

    outcome: ClientMetadata | UnusableDocumentError
    until: datetime


class ClientDocuments:
    """Clients by the addresses of their documents; made once per process, `ctx.kernel.service(ClientDocuments)`."""

    def __init__(self, fetcher: Fetcher | None = None, *, seconds: float = SECONDS) -> None:
        self._lookup = Lookup()
        self._fetcher = fetcher or Fetcher(self._lookup)
        self._seconds = seconds
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._fetches: dict[str, asyncio.Task[_Entry]] = {}
        self._hosts: Counter[str] = Counter()

    async def client(self, url: str) -> ClientMetadata:
        """Return the client whose id is `url`; all who ask at the same time wait for one fetch.

        Raises Invalid for a document that cannot be had or is not valid, Unavailable BUSY when no place is free.
        """
        try:
            parts = document_url(url)
        except UnusableDocumentError as refusal:
            raise refusal.problem(url) from None
        entry = self._entries.get(url)
        if entry is None or entry.until <= clock.now():
            entry = await asyncio.shield(self._fetches.get(url) or self._begin(parts))
        if isinstance(entry.outcome, UnusableDocumentError):
            raise entry.outcome.problem(url)
        return entry.outcome

    async def stop(self) -> None:
        """End the fetches under way."""
        fetches = list(self._fetches.values())
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)
        self._lookup.stop()

    def in_dry_run(self, dry_run: DryRun) -> "ClientDocuments":
        """Return a service that uses the documents in the cache and fetches none."""
        return _SilentDocuments(self, dry_run)

    def _begin(self, url: DocumentUrl) -> asyncio.Task[_Entry]:
        if len(self._fetches) >= AT_ONCE or self._hosts[url.host] >= AT_ONCE_FROM_ONE_HOST:
            raise Unavailable(ClientDocumentMsg.BUSY, code=Code.BUSY, headers={"Retry-After": "5"})
        self._hosts[url.host] += 1
        fetch = asyncio.create_task(self._fetched(url))
        self._fetches[url.text] = fetch
        fetch.add_done_callback(lambda _: self._end(url))
        return fetch

    def _end(self, url: DocumentUrl) -> None:
        del self._fetches[url.text]
        self._hosts[url.host] -= 1
        self._hosts += Counter()  # leaves out the hosts without a fetch

    async def _fetched(self, url: DocumentUrl) -> _Entry:
        entry = await self._entry(url)
        self._entries[url.text] = entry
        self._entries.move_to_end(url.text)
        if len(self._entries) > MOST_ENTRIES:
            self._entries.popitem(last=False)
        return entry

    async def _entry(self, url: DocumentUrl) -> _Entry:
        try:
            async with asyncio.timeout(self._seconds):
                document = await self._fetcher.fetch(url)
            metadata = read_metadata(url.text, document.content)
        except TimeoutError:
            refusal = UnusableDocumentError(ClientDocumentMsg.SLOW, seconds=f"{self._seconds:g}")
        except UnusableDocumentError as error:
            refusal = error
        else:
            life = min(max(timedelta(seconds=document.max_age), SHORTEST), LONGEST)
            return _Entry(metadata, clock.now() + life)
        log.info("client document refused", url=url.text, reason=str(refusal))
        return _Entry(refusal, clock.now() + REFUSALS_LAST)


class _SilentDocuments(ClientDocuments):
    """Documents for dry runs: a client whose document would have to be fetched ends the run."""

    def __init__(self, documents: ClientDocuments, dry_run: DryRun) -> None:
        self.__dict__.update(documents.__dict__, _fetches={})
        self._dry_run = dry_run

    def _begin(self, url: DocumentUrl) -> asyncio.Task[_Entry]:  # noqa: ARG002 - no document is fetched
        self._dry_run.end_at(DryRunMsg.CLIENT_DOCUMENT)
