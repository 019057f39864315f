"""The store of this process, and its failures as problems."""

from collections.abc import Iterator
from contextlib import contextmanager

from ledgerkit.core.platform.attachments.store.contents import (
    FOLDER,
    ContentMissingError,
    ForgetfulStore,
    LocalStore,
    Store,
    StoreUnreachableError,
)
from ledgerkit.core.platform.attachments.texts import AttachmentsMsg
from ledgerkit.core.platform.database.outages import is_full, storage_full
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.problems import Code, NotFound, Unavailable
from ledgerkit.settings import Settings
from ledgerkit.settings.messages import ServerMsg
from ledgerkit.settings.start_errors import Misconfigured


class Stores:
    """Service with the store that the settings name."""

    def __init__(self, settings: Settings) -> None:
        """Open the store. Raises Misconfigured for an address that names none, or when its library is missing."""
        self.store: Store = _opened(settings)

    def in_dry_run(self, _dry_run: object) -> "Stores":
        """Return a store that stores nothing: a dry run is a transaction, and no transaction asks a store."""
        return _DryStores()


class _DryStores(Stores):
    def __init__(self) -> None:
        self.store = ForgetfulStore()


def _opened(settings: Settings) -> Store:
    if settings.attachments_url is None:
        return LocalStore(settings.data_dir / FOLDER)
    try:
        from ledgerkit.core.platform.attachments.store.bucket import ObjectStore  # noqa: PLC0415 - its library is an extra
    except ImportError:
        raise Misconfigured(ServerMsg.ATTACHMENTS_EXTRA) from None

    return ObjectStore.at(settings.attachments_url)


def store_of(kernel: Kernel) -> Store:
    return kernel.service(Stores).store


@contextmanager
def store_problems() -> Iterator[None]:
    """Turn what a store raises into StorageFull, NotFound or Unavailable."""
    try:
        yield
    except ContentMissingError as error:
        raise NotFound(AttachmentsMsg.CONTENT_MISSING) from error
    except StoreUnreachableError as error:
        raise unreachable() from error
    except OSError as error:
        raise (storage_full() if is_full(error) else unreachable()) from error


def unreachable() -> Unavailable:
    return Unavailable(AttachmentsMsg.STORE_UNREACHABLE, code=Code.STORE_UNREACHABLE, headers={"Retry-After": "5"})
