"""Arguments that tools have in addition to those of REST, and the cursors of their lists."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from struct import Struct
from typing import Annotated, Literal, TypeVar
from zlib import crc32

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from ledgerkit.core.platform.api_types.fields import PRINTABLE, ShortText
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE
from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts.refusals import refusal

DEFAULT_PAGE_SIZE = 20

IdempotencyKey = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern="^[ -~]+$")]
ConfirmationToken = Annotated[str, StringConstraints(max_length=1000), PRINTABLE]
Detail = Literal["concise", "full"]
Shape = TypeVar("Shape", bound=Wire)


class Nothing(Wire):
    """No arguments."""


class Keyed(Wire):
    """Arguments of a call that is done once, even if it is repeated within 24 hours under the same key."""

    idempotency_key: Annotated[IdempotencyKey | None, Field(alias="idempotency_key")] = None


class Confirmable(Wire):
    """Arguments of a call that needs a confirmation: the call is repeated with the token of its preview."""

    confirmation_token: Annotated[ConfirmationToken | None, Field(alias="confirmation_token")] = None


class Detailed(Wire):
    """Arguments of a call that say how much its answer has: every tool takes `detail`, and no operation sees it."""

    detail: Detail = "concise"


_VERSION = 1
_FORM = Struct(">BII")
"""Version, number of records before the place, checksum of place and list. None of it is secret."""

_WRITTEN = re.compile("[A-Za-z0-9_-]{12}")


def cursor_at(place: int, of_list: bytes) -> str:
    """Return the cursor after the first `place` records of the list that `of_list` identifies."""
    return urlsafe_b64encode(_FORM.pack(_VERSION, place, _checksum(place, of_list))).decode()


def well_formed(cursor: str) -> str:
    """Return `cursor`. Raises PydanticCustomError if it is not in the form that `cursor_at` writes."""
    if _WRITTEN.fullmatch(cursor) is None or _FORM.unpack(urlsafe_b64decode(cursor))[0] != _VERSION:
        raise refusal("cursor_invalid", McpMsg.CURSOR_UNREADABLE)
    return cursor


def place_of(cursor: str, of_list: bytes) -> int:
    """Return the number of records before a well-formed cursor. Raises Invalid for a cursor of another list.

    A list with other filters counts as another: other records come before that place, so some would be skipped.
    """
    _, place, checksum = _FORM.unpack(urlsafe_b64decode(cursor))
    if checksum != _checksum(place, of_list):
        raise Invalid.field("cursor", McpMsg.CURSOR_OF_ANOTHER_LIST)
    return int(place)


def _checksum(place: int, of_list: bytes) -> int:
    return crc32(of_list, crc32(place.to_bytes(4)))


class PageQuery(Detailed):
    """Page of a list. Its records are brief, or have all fields in full detail.

    `cursor` is the `nextCursor` of the previous answer; without one the list begins. `limit` may differ in each call.
    """

    cursor: Annotated[str, AfterValidator(well_formed)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE)] = DEFAULT_PAGE_SIZE

    @property
    def offset(self) -> int:
        """Number of records before this page. Raises Invalid for a cursor of another list or of other filters."""
        return 0 if self.cursor is None else place_of(self.cursor, self._list)

    def following(self, shown: int, total: int) -> str | None:
        """Return the cursor after the first `shown` records of this page; None at the end of the list."""
        place = self.offset + shown
        return cursor_at(place, self._list) if place < total else None

    @property
    def _list(self) -> bytes:
        """Identity of the list: name and filters of the query."""
        return type(self).__name__.encode() + self.model_dump_json(exclude=set(PageQuery.model_fields)).encode()


class RecordId(Wire):
    """Id of a record."""

    id: Annotated[ShortText, Field(min_length=1)]


class OptionalId(Wire):
    """Id of a record, or none."""

    id: ShortText | None = None


def body_of(shape: type[Shape], arguments: Wire) -> Shape:
    """Return the arguments that were sent as the body that REST takes. Raises Invalid naming the wrong fields."""
    names = arguments.model_fields_set & shape.model_fields.keys()
    try:
        return shape.model_validate({name: getattr(arguments, name) for name in names})
    except ValidationError as error:
        raise invalid(error.errors()) from None
