"""Tasks that a message mentions by words of their titles, in either language."""

import re
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.names import Named, Names
from ledgerkit.core.messaging.language.spelling import FUNCTION_WORDS, mended
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import words_of

_TRANSLATIONS = Vocabulary("tasks").table("translations")
_SMALL = FUNCTION_WORDS["es"] | FUNCTION_WORDS["en"]
_ENDINGS = re.compile(r"(?<=..)(?:ar|er|ir|ado|ido|ada|ida|amos|ando|iendo|ed|ing|es|s|e|o|a)$")
_INFINITIVE = re.compile(r"[a-z]+(?:ar|er|ir)")
_VOWELS = re.compile(r"[aeiouyh]")
_SHORTEST = 3
_SHORTEST_SKELETON = 3
_LEAST_SHARE = 0.5
_STEMS: WeakKeyDictionary[Names, Sequence[Mapping[str, str]]] = WeakKeyDictionary()


def task_meant(message: ChatMessage, tasks: Names, *, least_share: float = _LEAST_SHARE) -> Named | None:
    """Return the one task of whose title a message says most; None where none or several are as likely.

    The verb of a title alone tells no task from others.
    """
    said_stems = _stems(message.text)
    shares: dict[int, float] = {}
    for place, stems in enumerate(_of_titles(tasks)):
        common = stems.keys() & said_stems.keys()
        if common and not (len(stems) > 1 and all(_INFINITIVE.fullmatch(stems[stem]) for stem in common)):
            shares[place] = len(common) / len(stems)
    best = max(shares.values(), default=0.0)
    likely = [place for place, share in shares.items() if share == best]
    return tasks.all[likely[0]] if best >= least_share and len(likely) == 1 else None


def _of_titles(tasks: Names) -> Sequence[Mapping[str, str]]:
    """Return the stems of all titles, which are found once for a list of tasks."""
    if tasks not in _STEMS:
        _STEMS[tasks] = [_stems(task.name) for task in tasks.all]
    return _STEMS[tasks]


def _stems(text: str) -> Mapping[str, str]:
    """Return the stems of the words that tell a title from others, each with its word."""
    words = (mended(word.plain) for word in words_of(text))
    return {
        _stem(word): _TRANSLATIONS.get(word, word) for word in words if len(word) >= _SHORTEST and word not in _SMALL
    }


def _stem(word: str) -> str:
    """Return a stem: translated, without the ending of a verb or plural, and without vowels where it is long."""
    stem = _ENDINGS.sub("", _TRANSLATIONS.get(word, word))
    skeleton = _VOWELS.sub("", stem)
    return skeleton if len(skeleton) >= _SHORTEST_SKELETON else stem
