"""Open a file that is said to be a certificate: what that costs is up to whoever made it, so it is a confined call.

Nothing but what this needs is imported here: the process begins with it.
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from ledgerkit.providers.api import Access, Certificate, UnusableCertificateError
from ledgerkit.providers.registry import discover
from ledgerkit.texts import Wording


class _Passed(BaseModel):
    """What is passed between processes."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", frozen=True)


class FileToOpen(_Passed):
    """A file, what opens it, and by which country's channel it is to be read."""

    country: str
    channel: str
    content: bytes = Field(repr=False)
    password: str | None = Field(repr=False)
    at: datetime


class Refusal(_Passed):
    """Why a certificate cannot be used; see UnusableCertificateError."""

    code: str
    message: str
    remedy: str
    translations: dict[str, Wording]


class Opened(_Passed):
    """One of both."""

    certificate: Certificate | None = Field(default=None, repr=False)
    refusal: Refusal | None = None


def open_file(request: bytes) -> bytes:
    """An `Opened` for a `FileToOpen`, both as JSON."""
    asked = FileToOpen.model_validate_json(request)
    channel = discover().channel(asked.country, asked.channel)
    assert channel is not None, "asked of a channel that is installed"  # noqa: S101 - our own wiring
    assert channel.certifies is not None, "and that reads certificates"  # noqa: S101 - the same
    try:
        found = channel.certifies.read(Access(certificate=asked.content, password=asked.password), asked.at)
    except UnusableCertificateError as error:
        said = dict(error.translations or {})
        refusal = Refusal(code=error.code, message=error.message, remedy=error.remedy, translations=said)
        return Opened(refusal=refusal).model_dump_json().encode()
    return Opened(certificate=found).model_dump_json().encode()
