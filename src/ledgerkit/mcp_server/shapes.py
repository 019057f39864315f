"""Arguments that the tools have beyond those of REST."""

from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, ValidationError

from ledgerkit.core.api_types.fields import PRINTABLE, ShortText
from ledgerkit.core.api_types.paging import MAX_SIZE
from ledgerkit.core.api_types.validation import invalid
from ledgerkit.core.api_types.wire import Wire

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


PLACES = 1_000_000_000
"""Pages above this number are places in a list: the page that begins after so many records, whatever its limit."""


class PageQuery(Wire):
    """Page of a list, and whether its records come whole.

    `page` is a number, or what an answer has as `nextPage`: a place, where the page before was cut.
    """

    page: Annotated[int, Field(ge=1, le=2 * PLACES)] = 1
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE)] = DEFAULT_PAGE_SIZE
    detail: Detail = "concise"

    @property
    def offset(self) -> int:
        """Records of the list before this page."""
        return self.page - PLACES if self.page > PLACES else (self.page - 1) * self.limit

    def following(self, shown: int, total: int) -> int | None:
        """Return the page that goes on after the first `shown` records of this one; None after the last."""
        if self.offset + shown >= total:
            return None
        return self.page + 1 if self.page < PLACES and shown == self.limit else PLACES + self.offset + shown


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
