"""Words as they were meant: short forms in full, helping verbs with their letter, slips mended."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ledgerkit.core.messaging.language.likeness import KnownWords
from ledgerkit.core.messaging.language.numbers import LANGUAGES
from ledgerkit.core.messaging.language.vocabulary import Vocabulary, known_words
from ledgerkit.core.messaging.language.words import Word

_VOCABULARY = Vocabulary("spelling")
_COMMANDS = _VOCABULARY.words("commands")
_SHORT_FORMS = {
    language: {word: whole.split() for word, whole in _VOCABULARY.table(f"short_forms_{language}").items()}
    for language in LANGUAGES
}
_ACCENTED = _VOCABULARY.table("accented")
_HELPING_VERBS = _VOCABULARY.table("helping_verbs")
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: _VOCABULARY.words(f"small_{language}") for language in LANGUAGES
}
_ORDINARY = _VOCABULARY.words("ordinary")
COMMON = _COMMANDS.union(*FUNCTION_WORDS.values())
"""Words that are neither names nor slips."""

_SHORTEST_SLIP = 6
_SHORTEST_WITH_ANOTHER_LETTER = 8
_SHORTEST_SOUND = 4
_KNOWN_COMMANDS = KnownWords(_COMMANDS, most_slips=1)
_MEASURES = frozenset({"x", "k", "m", "d", "e", "q", "h"})
"""Short forms that are signs or units beside a number."""

_PARTICIPLE = re.compile(r"[a-z]{2,}(?:ado|ido)|hecho|hechas?|dicho|visto|puesto|abierto")
_SPOKEN_PARTICIPLE = re.compile(r"([a-z]{1,})ao(s?)")
_HESITATION = re.compile(
    r"e{1,8}h{1,8}m{0,8}|e{2,8}m{1,8}|m{2,8}|u{1,8}h{1,8}m{0,8}|u{1,8}m{1,8}|e{1,8}rm|h{1,8}m{1,8}"
)
"""Sounds of somebody who dictates and thinks."""

_MANY_REMEMBERED = 4096


def in_full(words: Sequence[Word], language: str) -> list[Word]:
    """Return the words with short forms in full, each part with the place of the short form."""
    whole: list[Word] = []
    for place, word in enumerate(words):
        if _HESITATION.fullmatch(word.plain):
            continue
        parts = None if _is_measure(words, place) else _SHORT_FORMS[language].get(word.plain)
        whole += [word] if parts is None else [replace(word, plain=part) for part in parts]
    return whole


def _is_measure(words: Sequence[Word], place: int) -> bool:
    """Return True for a letter beside a number: `3 x 45`, `2k`, `Q1`."""
    if words[place].plain not in _MEASURES:
        return False
    before = words[place - 1].plain[:1] if place else ""
    following = words[place + 1].plain[:1] if place + 1 < len(words) else ""
    return before.isdigit() or (words[place].plain in {"q", "x"} and following.isdigit())


def meant(words: Sequence[Word], place: int, language: str) -> Word:
    """Return a word as it was meant in its place, which is no part of a name."""
    word = words[place].plain
    accented = words[place].text.casefold()
    if accented in _ACCENTED:
        return replace(words[place], plain=_ACCENTED[accented])
    if word in _HELPING_VERBS and language == "es" and place + 1 < len(words):
        following = mended(words[place + 1].plain)
        if _PARTICIPLE.fullmatch(following):
            return replace(words[place], plain=_HELPING_VERBS[word])
    if word.endswith("'s") and is_known(word[:-2]):
        return replace(words[place], plain=word[:-2])
    whole = mended(word)
    return words[place] if whole == word else replace(words[place], plain=whole)


def is_known(word: str) -> bool:
    """Return True for a word of the grammar, which is no slip."""
    whole, beginnings = known_words()
    return (
        word in COMMON
        or word in _ORDINARY
        or word in whole
        or (len(word) > _SHORTEST_SOUND and word.startswith(beginnings))
    )


@lru_cache(_MANY_REMEMBERED)
def mended(word: str) -> str:
    """Return the one command that sounds the same, or differs by a slip; the word itself where none or several do."""
    spoken = _SPOKEN_PARTICIPLE.fullmatch(word)
    if spoken is not None and word not in _ORDINARY:
        word = f"{spoken[1]}ado{spoken[2]}"
    if is_known(word) or not word.isalpha() or len(word) < _SHORTEST_SOUND:
        return word
    same = _KNOWN_COMMANDS.of_sound(word)
    if len(same) == 1:
        return same[0]
    if len(word) < _SHORTEST_SLIP:
        return word
    near = [other for other in _KNOWN_COMMANDS.near(word) if _is_slip(word, other)]
    return near[0] if len(near) == 1 else word


def _is_slip(word: str, command: str) -> bool:
    """Return True for two long words; another letter in the place of one makes another word of a shorter one."""
    has_other_letter = len(word) == len(command) and sorted(word) != sorted(command)
    return len(command) >= (_SHORTEST_WITH_ANOTHER_LETTER if has_other_letter else _SHORTEST_SLIP)


def language_of(words: Sequence[Word], default: str) -> str:
    """Return the language of which a message has more small words."""
    plain_words = [word.plain for word in words]
    counts = {language: sum(word in small for word in plain_words) for language, small in FUNCTION_WORDS.items()}
    if any(sign in word.text for word in words for sign in "ñ¿¡áéíóú"):
        counts["es"] += 1
    if counts["es"] == counts["en"]:
        return default if default in counts else "en"
    return max(counts, key=lambda language: counts[language])
