"""Fields of shapes are described by their docstrings, else by the sentences of columns and stored objects."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.stored_json import StoredObject
from ledgerkit.money import Amount


class ThingRow(Row):
    amount_due: Decimal = column("What is owed, in euros.")
    paid: bool = column("True where amount_due is paid; `amount_due` is a word here.")
    note: str = column("Sentence of the column.")


class StoredPart(StoredObject):
    note: str
    """Sentence of the
    stored object."""
    plain: str


class Base(Wire, row=ThingRow):
    amount_due: Amount
    paid: bool
    note: str
    """Sentence of the docstring."""
    own: Annotated[str, Field(description="Description of the field")]
    """Sentence that is not used."""
    mute: str


class Narrower(Base):
    note: str
    also: str
    """Sentence of the subclass."""


class Part(Wire, row=StoredPart):
    note: str
    plain: str


class Whole(Wire):
    parts: list[Part]
    """All parts."""
    part: Part
    """One part."""
    since: Annotated[str, Field(alias="from")]
    """First day."""


def told(shape: type[Wire], mode: Any = "validation") -> dict[str, str | None]:
    properties = shape.model_json_schema(mode=mode)["properties"]
    return {name: one.get("description") for name, one in properties.items()}


def test_a_field_is_described_by_its_description_its_docstring_or_its_column():
    assert told(Base) == {
        "amountDue": "What is owed, in euros.",
        "paid": "True where amountDue is paid; `amount_due` is a word here.",
        "note": "Sentence of the docstring.",
        "own": "Description of the field",
        "mute": None,
    }
    assert told(Base, "serialization") == told(Base)


def test_a_subclass_has_the_sentences_of_its_base():
    assert told(Narrower) == {**told(Base), "also": "Sentence of the subclass."}


def test_a_stored_object_has_sentences_too():
    assert told(Part) == {"note": "Sentence of the stored object.", "plain": None}


def test_a_field_that_refers_to_another_shape_or_has_an_alias_is_described():
    assert told(Whole) == {"parts": "All parts.", "part": "One part.", "from": "First day."}
