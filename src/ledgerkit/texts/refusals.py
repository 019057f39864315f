"""Refusals by our validators, in words of the catalogues."""

from pydantic_core import PydanticCustomError

from ledgerkit.texts.messages import MessageId, text

GIVEN_TEXT = "text"
"""Member of the error's context that holds its text."""


def refusal(code: str, message: MessageId, /, **values: object) -> PydanticCustomError:
    """Return an error to raise in a validator of pydantic; its message continues after the field's name."""
    return PydanticCustomError(code, message, {GIVEN_TEXT: text(message, **values)})
