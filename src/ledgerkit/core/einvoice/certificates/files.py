"""Opening of an uploaded certificate: a confined call, because a crafted file may cost much time and memory.

The module imports only what this needs, because the confined process begins with it.
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from ledgerkit.providers.api import Access, Certificate, UnusableCertificateError
from ledgerkit.providers.registry import discover
from ledgerkit.texts import Wording


class _ProcessMessage(BaseModel):
    """A value that is passed between processes."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", frozen=True)


class FileToOpen(_ProcessMessage):
    """A file, its password, and the country and channel that read it."""

    country: str
    channel: str
    content: bytes = Field(repr=False)
    password: str | None = Field(repr=False)
    at: datetime


class Refusal(_ProcessMessage):
    """The reason for which a certificate cannot be used; see UnusableCertificateError."""

    code: str
    message: str
    remedy: str
    translations: dict[str, Wording]


class OpenedFile(_ProcessMessage):
    """Result of opening a file: its certificate, or the reason for refusing it."""

    certificate: Certificate | None = Field(default=None, repr=False)
    refusal: Refusal | None = None


def open_file(request: bytes) -> bytes:
    """Return an `OpenedFile` for a `FileToOpen`, both as JSON."""
    file = FileToOpen.model_validate_json(request)
    channel = discover().channel(file.country, file.channel)
    assert channel is not None, "the file names an installed channel"  # noqa: S101 - our own wiring
    assert channel.certifies is not None, "the channel reads certificates"  # noqa: S101 - the same
    try:
        certificate = channel.certifies.read(Access(certificate=file.content, password=file.password), file.at)
    except UnusableCertificateError as error:
        translations = dict(error.translations or {})
        refusal = Refusal(code=error.code, message=error.message, remedy=error.remedy, translations=translations)
        return OpenedFile(refusal=refusal).model_dump_json().encode()
    return OpenedFile(certificate=certificate).model_dump_json().encode()
