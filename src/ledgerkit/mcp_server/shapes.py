"""Arguments that the tools have beyond those of REST."""

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from ledgerkit.core.platform.api_types.fields import PRINTABLE, ShortText
from ledgerkit.core.platform.api_types.list_pages import MAX_SIZE
from ledgerkit.core.platform.api_types.validation import invalid
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.mcp_server import cursors

DEFAULT_PAGE_SIZE = 20

IdempotencyKey = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern="^[ -~]+$")]
ConfirmationToken = Annotated[str, StringConstraints(max_length=1000), PRINTABLE]
Detail = Literal["concise", "full"]
Shape = TypeVar("Shape", bound=Wire)


class Nothing(Wire):
    """No arguments."""


class Keyed(Wire):
    """Arguments of a call that may be repeated within 24 hours without happening twice."""

    idempotency_key: Annotated[IdempotencyKey | None, Field(alias="idempotency_key")] = None


class Confirmable(Wire):
    """Arguments of a call that is confirmed by repeating it with the token of its preview."""

    confirmation_token: Annotated[ConfirmationToken | None, Field(alias="confirmation_token")] = None


class PageQuery(Wire):
    """Part of a list from a place on, and whether its records come whole.

    `cursor` is the `nextCursor` of the answer before; the list begins without one. `limit` may differ each time.
    """

    cursor: Annotated[str, AfterValidator(cursors.well_formed)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE)] = DEFAULT_PAGE_SIZE
    detail: Detail = "concise"

    @property
    def offset(self) -> int:
        """Records of the list before this page. Raises Invalid for a cursor of another list or of other filters."""
        return 0 if self.cursor is None else cursors.place_of(self.cursor, self._list)

    def following(self, shown: int, total: int) -> str | None:
        """Return the cursor that goes on after the first `shown` records of this page; None after the last."""
        place = self.offset + shown
        return cursors.cursor_at(place, self._list) if place < total else None

    @property
    def _list(self) -> bytes:
        """The list that is read: its name and its filters."""
        return type(self).__name__.encode() + self.model_dump_json(exclude=set(PageQuery.model_fields)).encode()


class RecordId(Wire):
    """Id of the record that is meant."""

    id: Annotated[ShortText, Field(min_length=1)]


class OptionalId(Wire):
    """Id of a record, or none."""

    id: ShortText | None = None


def body_of(shape: type[Shape], arguments: Wire) -> Shape:
    """Return the body that REST takes, made of the arguments that were sent. Raises Invalid naming what it lacks."""
    names = arguments.model_fields_set & shape.model_fields.keys()
    try:
        return shape.model_validate({name: getattr(arguments, name) for name in names})
    except ValidationError as error:
        raise invalid(error.errors()) from None
