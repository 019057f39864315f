"""Arguments that tools have in addition to those of REST, and the cursors of their lists."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from itertools import pairwise
from struct import Struct
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from zlib import crc32

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from ledgerkit.core.platform.api_types.fields import PRINTABLE, ShortText
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE
from ledgerkit.core.platform.api_types.validation import field_error, invalid, not_valid
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import Invalid
from ledgerkit.texts import text
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


_VERSION = 2
_MARKS = 5
_FORM = Struct(f">BII{_MARKS}II")
"""Version, number of records before the place and of all, marks of the last ones, checksum of it all and of the list.

None of it is secret.
"""

_WRITTEN = re.compile("[A-Za-z0-9_-]{44}")

Marks = tuple[int, ...]
"""Marks of the records before a place, the last one last: they find it again when records were made or deleted."""


def mark(record_id: str) -> int:
    """Return the mark of a record, which is never 0."""
    return crc32(record_id.encode()) or 1


class Place(NamedTuple):
    """Place in a list: the number of records before it, the marks of the last of these, and the number of all."""

    number: int = 0
    marks: Marks = ()
    total: int = 0

    def after(self, record_ids: Sequence[str], total: int) -> "Place":
        """Return the place after these records, of which the first stands at this place, in a list of `total`."""
        marks = (*self.marks, *map(mark, record_ids))[-_MARKS:]
        return Place(self.number + len(record_ids), marks, total)

    def cursor(self, of_list: bytes) -> str:
        """Return the cursor of this place in the list that `of_list` identifies."""
        marks = (*(0,) * (_MARKS - len(self.marks)), *self.marks)
        content = _FORM.pack(_VERSION, self.number, self.total, *marks, 0)[:-4]
        return urlsafe_b64encode(content + crc32(of_list, crc32(content)).to_bytes(4)).decode()

    def found(self, window: Sequence[str], first: int, total: int) -> int:
        """Return the place's number now, in a list of `total`.

        Records may have been made, moved or deleted since. `window` are the ids of those around the place, of which the
        first is number `first`. The place is after the last marked record that still follows another marked one: a
        record by itself may have moved. In doubt some records are shown twice rather than none.
        """
        numbers = {mark(record_id): first + step for step, record_id in enumerate(window)}
        present = [numbers[name] for name in self.marks if name in numbers]
        following = [later for earlier, later in pairwise(present) if later == earlier + 1]
        if following:
            return following[-1] + 1
        return min(present) + 1 if present else max(0, self.number - max(0, self.total - total))


def well_formed(cursor: str) -> str:
    """Return `cursor`. Raises PydanticCustomError if it is not in the form that `Place.cursor` writes."""
    if _WRITTEN.fullmatch(cursor) is None or _FORM.unpack(urlsafe_b64decode(cursor))[0] != _VERSION:
        raise refusal("cursor_invalid", McpMsg.CURSOR_UNREADABLE)
    return cursor


def place_of(cursor: str, of_list: bytes) -> Place:
    """Return the place of a well-formed cursor. Raises Invalid for a cursor of another list.

    A list with other filters counts as another: other records come before that place, so some would be skipped.
    """
    _, number, total, *marks, _checksum = _FORM.unpack(urlsafe_b64decode(cursor))
    place = Place(number, tuple(filter(None, marks)), total)
    if place.cursor(of_list) != cursor:
        raise Invalid.field("cursor", McpMsg.CURSOR_OF_ANOTHER_LIST)
    return place


class PageQuery(Detailed):
    """Page of a list. Its records are brief, or have all fields in full detail.

    `cursor` is the `nextCursor` of the previous answer; without one the list begins. `limit` may differ in each call.
    """

    cursor: Annotated[str, AfterValidator(well_formed)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE)] = DEFAULT_PAGE_SIZE

    @property
    def place(self) -> Place:
        """Place of this page in its list. Raises Invalid for a cursor of another list or of other filters."""
        return Place() if self.cursor is None else self.place_of(self.cursor)

    def place_of(self, cursor: str) -> Place:
        """Return the place of a cursor in the list that this query reads."""
        return place_of(cursor, self._list)

    def following(self, records: Sequence[Mapping[str, Any]], first: int, total: int) -> str | None:
        """Return the cursor after a page with these `records`, of which the first is number `first` of the list.

        None at the end of the list.
        """
        ids = [self.identity(record) for record in records]
        place = self.place._replace(number=first).after(ids, total)
        return place.cursor(self._list) if place.number < total else None

    def identity(self, record: Mapping[str, Any]) -> str:
        """Return what tells a record of the list from the others."""
        return str(record.get("id") or record.get("vendorId"))

    @property
    def listed(self) -> str:
        """Field of the answer that has the records of the page."""
        return "items"

    @property
    def counted(self) -> str:
        """Field of the answer that has the number of all records."""
        return "total"

    @property
    def key(self) -> tuple[str, ...]:
        """Fields of which `identity` is made, besides the first one of a brief record."""
        return ()

    @property
    def _list(self) -> bytes:
        """Identity of the list: name and filters of the query."""
        return type(self).__name__.encode() + self.model_dump_json(exclude=set(PageQuery.model_fields)).encode()


def require_filters_of(query: PageQuery, view: str, *names: str) -> None:
    """Raise Invalid for each filter that was sent, but is none of the view's: of `names`."""
    sent = query.model_fields_set - PageQuery.model_fields.keys() - {"view", *names}
    fields = [type(query).model_fields[name].alias or name for name in sorted(sent)]
    if fields:
        message = text(McpMsg.FILTER_OF_ANOTHER_VIEW, view=view)
        raise not_valid([field_error(field, "filter_of_another_view", message) for field in fields])


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
