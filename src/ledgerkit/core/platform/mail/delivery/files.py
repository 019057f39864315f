"""Mails stored as `.eml` files, which any mail program opens, where no mail server is configured."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from ledgerkit.core.platform.database.outages import is_full, storage_full
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.problems import BadGateway, Code


def store(message: bytes, directory: Path, date: datetime) -> Path:
    """Write `message` to a new file in `directory`, whole or not at all, readable by this user only; blocking.

    Raises StorageFull when there is no room, BadGateway (MAIL_FAILED) when the disk refuses it otherwise.
    """
    stamp = date.astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = directory / f"{stamp}-{uuid4().hex[:12]}.eml"
    draft = path.with_suffix(".tmp")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(draft, message)
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        if is_full(error):
            raise storage_full() from error
        raise BadGateway(
            MailMsg.NOT_WRITTEN, code=Code.MAIL_FAILED, directory=directory, strerror=error.strerror
        ) from error
    return path


def _write(path: Path, content: bytes) -> None:
    """Write and synchronise to disk, because the answer will say that the mail is stored."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
