"""Search by words alone (Okapi BM25): what hosts do that show a model only some of many tools."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

_K1, _B = 1.2, 0.75
_SHORTEST_STEM = 3
_ENCLITICS = (
    "melas",
    "melos",
    "mela",
    "melo",
    "selas",
    "selos",
    "sela",
    "selo",
    "les",
    "las",
    "los",
    "le",
    "la",
    "lo",
    "me",
)
_ENDINGS = (
    *("aciones", "acion", "iones", "ion", "ando", "iendo", "adas", "ados", "idas", "idos", "ada", "ado", "ida", "ido"),
    *("amos", "emos", "imos", "ings", "ing", "ies", "ces", "es", "as", "os", "ar", "er", "ir", "ed", "an", "en"),
    *("s", "a", "o", "e", "y"),
)
STOP_WORDS = frozenset(
    [
        "a",
        "al",
        "como",
        "con",
        "cual",
        "cuales",
        "cuando",
        "cuanto",
        "cuantos",
        "de",
        "del",
        "desde",
        "donde",
        "e",
        "el",
        "en",
        "es",
        "esa",
        "ese",
        "eso",
        "esta",
        "este",
        "esto",
        "estos",
        "ha",
        "han",
        "hasta",
        "hay",
        "he",
        "la",
        "las",
        "le",
        "les",
        "lo",
        "los",
        "mas",
        "me",
        "mi",
        "mis",
        "muy",
        "no",
        "nos",
        "o",
        "para",
        "pero",
        "por",
        "porque",
        "que",
        "quien",
        "se",
        "ser",
        "si",
        "sin",
        "su",
        "sus",
        "te",
        "ti",
        "tu",
        "tus",
        "un",
        "una",
        "unas",
        "uno",
        "unos",
        "y",
        "ya",
        "yo",
        "about",
        "all",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "her",
        "here",
        "his",
        "how",
        "i",
        "if",
        "in",
        "is",
        "it",
        "its",
        "just",
        "me",
        "my",
        "not",
        "of",
        "on",
        "or",
        "our",
        "out",
        "please",
        "she",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "those",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def folded(text: str) -> str:
    """Return lower-case text without accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def stem(word: str) -> str:
    """Cut the usual endings of Spanish and English words, and pronouns that Spanish writes behind its verbs."""
    for endings in (_ENCLITICS, _ENDINGS):
        cut = (one for one in endings if word.endswith(one) and len(word) - len(one) >= _SHORTEST_STEM)
        word = word.removesuffix(next(cut, ""))
    return word


def terms(text: str) -> list[str]:
    """Return the stems of a text's words; what a hyphen or star joins (e-mail, VERI*FACTU) is one word."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])[-*](?=[a-z])", "", folded(text)))
    return [stem(word) for word in words if word not in STOP_WORDS]


class Bm25:
    """Index of texts by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {name: Counter(terms(text)) for name, text in texts.items()}
        lengths = {name: counts.total() for name, counts in self._counts.items()}
        mean = sum(lengths.values()) / len(lengths)
        self._damping = {name: _K1 * (1 - _B + _B * length / mean) for name, length in lengths.items()}
        holders = Counter(term for counts in self._counts.values() for term in counts)
        self._weight = {term: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for term, n in holders.items()}

    def ranking(self, request: str) -> list[str]:
        """Return all names, the best match first; equal ones in alphabetical order."""
        asked = set(terms(request))
        return sorted(self._counts, key=lambda name: (-self._score(name, asked), name))

    def _score(self, name: str, asked: set[str]) -> float:
        counts = self._counts[name]
        hits = [(self._weight[term], counts[term]) for term in asked if term in counts]
        return sum(weight * n * (_K1 + 1) / (n + self._damping[name]) for weight, n in hits)
