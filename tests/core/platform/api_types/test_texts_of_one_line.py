"""Short texts hold no line break and no control character: they go to mails, PDFs and fiscal records as they are."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

import pytest
from annotated_types import MaxLen
from pydantic import StringConstraints, TypeAdapter, ValidationError

import ledgerkit.app  # noqa: F401 - all shapes are imported
from ledgerkit.core.platform.api_types.fields import Category, Name, ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.mcp_server.tools import TOOLS

OF_SEVERAL_LINES = {"description", "reason", "fiscalDetails"}
"""Fields up to 200 characters that are no short texts, or free values of a country."""

NO_NAMES = {"password", "new", "old", "email", "documentId", "clientId", "invoiceId", "assignedTo"}
"""Secrets, which are never shown, and ids, which are looked up."""

CODES = {"notSubjectReason", "tax", "declarationType", "period", "form", "timezone", "iban"}
"""Values that are compared with those that there are."""


def shapes(parent: type[Wire] = Wire) -> Iterator[type[Wire]]:
    for shape in parent.__subclasses__():
        yield shape
        yield from shapes(shape)


def texts(annotation: Any, metadata: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the metadata of each text within an annotation."""
    if get_origin(annotation) is Annotated:
        inner, *own = get_args(annotation)
        yield from texts(inner, (*metadata, *own))
    elif annotation is str:
        yield metadata
    elif get_origin(annotation) is not dict:
        for inner in get_args(annotation):
            yield from texts(inner, () if get_origin(annotation) is list else metadata)


def longest(metadata: tuple[Any, ...]) -> int | None:
    lengths = [part.max_length for part in metadata if isinstance(part, StringConstraints | MaxLen)]
    return next((length for length in lengths if length is not None), None)


def test_short_texts_of_all_inputs_are_of_one_line():
    left_out = OF_SEVERAL_LINES | NO_NAMES | CODES
    broken = {
        f"{shape.__name__}.{field.alias}"
        for shape in shapes()
        if shape.__module__.startswith("ledgerkit.")
        for field in shape.model_fields.values()
        if field.alias not in left_out
        for metadata in texts(field.annotation, tuple(field.metadata))
        if (longest(metadata) or 1_000) <= 200 and holds_a_break(metadata)
    }

    assert len(TOOLS) > 50
    assert broken == set()


def holds_a_break(metadata: tuple[Any, ...]) -> bool:
    """True when such a text is taken with a line break in it."""
    try:
        return "\n" in TypeAdapter(Annotated[(str, *metadata)]).validate_python("ab\ncd")
    except ValidationError:
        return False


@pytest.mark.parametrize("kind", [Name, ShortText, Category])
@pytest.mark.parametrize("sign", ["\n", "\r\n", "\t", "\u0085", "\u009f", "\u2028", "\u2029"])
def test_what_breaks_lines_becomes_a_space(kind, sign):
    assert TypeAdapter(kind).validate_python(f"Talleres{sign} Norte{sign}") == "Talleres Norte"


@pytest.mark.parametrize("kind", [Name, ShortText, Category])
@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\x0b", "\ufffe", "\ud800"])
def test_control_characters_are_refused(kind, sign):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(f"Talleres{sign}Norte")
