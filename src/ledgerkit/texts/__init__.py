"""Texts for people: ids in the code, words per language in catalogues (`*.po`), values filled in for the reader."""

from ledgerkit.texts.catalogues import ENGLISH, Catalogue, Catalogues, languages
from ledgerkit.texts.common import Day, Listed, Number
from ledgerkit.texts.messages import (
    FixedText,
    Joined,
    KeyedId,
    Message,
    MessageId,
    ProblemText,
    Text,
    Wording,
    fixed,
    keyed,
    problem_text,
    read_catalogues,
    text,
)

__all__ = [
    "ENGLISH",
    "Catalogue",
    "Catalogues",
    "Day",
    "FixedText",
    "Joined",
    "KeyedId",
    "Listed",
    "Message",
    "MessageId",
    "Number",
    "ProblemText",
    "Text",
    "Wording",
    "fixed",
    "keyed",
    "languages",
    "problem_text",
    "read_catalogues",
    "text",
]
