"""Refusals by validators of ours, in words of the catalogues."""

from pydantic_core import PydanticCustomError

from ledgerkit.texts.messages import MessageId, text

GIVEN_TEXT = "text"
"""Member of the error's context that holds its text."""


def refusal(code: str, message: MessageId, /, **values: object) -> PydanticCustomError:
    """An error to raise in a validator of pydantic; the message goes on from the field's name."""
    return PydanticCustomError(code, message, {GIVEN_TEXT: text(message, **values)})
