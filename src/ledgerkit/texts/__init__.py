"""Texts for people: ids in the code, words per language in catalogues (`*.po`), values filled in for the reader."""

from ledgerkit.texts.catalogues import ENGLISH, Catalogue, catalogues, languages
from ledgerkit.texts.messages import FixedText, Joined, Message, MessageId, Text, read_catalogues, text
from ledgerkit.texts.problem_text import ProblemText, Wording, fixed, problem_text

__all__ = [
    "ENGLISH",
    "Catalogue",
    "FixedText",
    "Joined",
    "Message",
    "MessageId",
    "ProblemText",
    "Text",
    "Wording",
    "catalogues",
    "fixed",
    "languages",
    "problem_text",
    "read_catalogues",
    "text",
]
