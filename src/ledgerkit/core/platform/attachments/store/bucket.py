"""Store in a bucket (S3 and what speaks its language), by obstore; the extra `s3`."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from os import environ
from uuid import UUID

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore as Bucket
from obstore.store import S3Store

from ledgerkit.core.platform.attachments.store.contents import (
    PIECE,
    ContentAddress,
    ContentMissingError,
    StoredContent,
    StoreUnreachableError,
)

_TIMEOUT = timedelta(seconds=20)
"""Longest wait for one answer of the bucket."""

_PATIENCE = timedelta(seconds=30)
"""Longest time for which a request is tried again."""


class ObjectStore:
    """Store in a bucket. Durability, encryption and backup are the bucket's."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    @classmethod
    def at(cls, url: str) -> "ObjectStore":
        """Return the store at `s3://bucket/folder`; credentials, region and endpoint are in AWS_* variables."""
        bucket = S3Store.from_url(
            url,
            client_options={
                "timeout": _TIMEOUT,
                "connect_timeout": timedelta(seconds=5),
                "allow_http": environ.get("AWS_ALLOW_HTTP") == "true",  # not read by obstore once options are given
            },
            retry_config={"max_retries": 3, "retry_timeout": _PATIENCE},
        )
        return cls(bucket)

    async def put(self, address: ContentAddress, content: bytes) -> None:
        with _failures():
            await obstore.put_async(self._bucket, address.path, content)

    async def read(self, address: ContentAddress) -> AsyncIterator[bytes]:
        with _failures():
            result = await obstore.get_async(self._bucket, address.path)

        async def pieces() -> AsyncIterator[bytes]:
            with _failures():
                async for piece in result.stream(min_chunk_size=PIECE):
                    yield bytes(piece)

        return pieces()

    async def remove(self, address: ContentAddress) -> None:
        try:
            with _failures():
                await obstore.delete_async(self._bucket, address.path)
        except ContentMissingError:
            pass

    async def contents(self, account_id: UUID) -> Sequence[StoredContent]:
        with _failures():
            return [
                StoredContent(item["path"].rpartition("/")[2], item["last_modified"])
                async for items in obstore.list(self._bucket, prefix=account_id.hex)
                for item in items
            ]

    async def clear_drafts(self, account_id: UUID, before: datetime) -> None:
        """Do nothing: a bucket shows no object before it is complete."""


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what obstore raises into the errors of the port."""
    try:
        yield
    except FileNotFoundError as error:
        raise ContentMissingError from error
    except (BaseError, OSError) as error:
        raise StoreUnreachableError from error
