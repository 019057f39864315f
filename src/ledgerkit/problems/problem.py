"""Problems of a request, in words that a caller can act on (RFC 9457)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ledgerkit.problems.codes import Code
from ledgerkit.texts import ENGLISH, FixedText, Message, MessageId, ProblemText, Text, Wording, fixed, problem_text


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One field of the request and what is wrong with it; `field` is the wire path, as `items[0].taxRate`."""

    field: str
    code: str
    text: ProblemText

    @classmethod
    def of(
        cls, field: str, code: str, message: MessageId, /, *, remedy: MessageId | Text | None = None, **values: object
    ) -> "FieldError":
        """An error whose texts are those of `message`; they may use `{field}` beside the values."""
        return cls(field=field, code=code, text=problem_text(message, {"field": field, **values}, remedy))

    @property
    def message(self) -> str:
        """Fault in English."""
        return self.text.wording().message

    @property
    def remedy(self) -> str | None:
        """Remedy in English; None where there is none."""
        return self.text.wording().remedy or None

    @property
    def translations(self) -> dict[str, Wording]:
        """Message and remedy by language; empty for an error that has English words only."""
        return self.text.translations()

    def body(self, language: str = ENGLISH) -> dict[str, object]:
        """The error as it is answered: in `language` where it is translated, and in all languages beside."""
        wording = self.text.wording(language)
        body: dict[str, object] = {"field": self.field, "code": self.code, "message": wording.message}
        if wording.remedy:
            body["remedy"] = wording.remedy
        if self.text.languages:
            body["translations"] = _as_json(self.text)
        return body


def _as_json(text: ProblemText) -> dict[str, dict[str, str]]:
    return {language: asdict(wording) for language, wording in text.translations().items()}


def _from_json(stored: Mapping[str, Any], message: str) -> ProblemText:
    """The texts of a stored problem, or of an error of one, whose English message is `message`."""
    translations = {language: Wording(**wording) for language, wording in (stored["translations"] or {}).items()}
    return fixed(message, stored["remedy"], translations)


class Problem(Exception):  # noqa: N818 - the field's word (problem details), and not every problem is an error of ours
    """A request that cannot be fulfilled, why, and what to do next.

    `Problem(ClientMsg.EXISTS, number=number)`: the message and its remedy (or another `remedy`) name the record, the
    reason and the next step, and are put into the reader's language when the answer is written. `extra` holds
    additional members of the answer (`requiredRoles`, `result`). Each kind fixes its HTTP status and title; the title
    is in the reader's language too (RFC 9457 §3.1.4).
    """

    status: ClassVar[int]
    title: ClassVar[MessageId]
    default_code: ClassVar[Code]
    is_result: bool = False
    """True where something was done all the same: the same idempotency key is answered with it again."""

    def __init__(
        self,
        text: MessageId | ProblemText,
        /,
        *,
        code: Code | None = None,
        remedy: MessageId | Text | None = None,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, object] | None = None,
        **values: object,
    ) -> None:
        super().__init__(text)
        self.text = problem_text(text, values, remedy) if isinstance(text, MessageId) else text
        self.title_text: Text = Message(self.title)
        self.code = code or self.default_code
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    def __str__(self) -> str:
        return self.detail

    @property
    def detail(self) -> str:
        """Fault in English: for logs."""
        return self.text.wording().message

    @property
    def remedy(self) -> str | None:
        """Remedy in English; None where there is none."""
        return self.text.wording().remedy or None

    @property
    def translations(self) -> dict[str, Wording]:
        """Detail and remedy by language; empty for a problem that has English words only."""
        return self.text.translations()

    def stored(self) -> dict[str, object]:
        """The problem as JSON, for `restored`. Headers are those of one answer, and are not stored.

        The words are stored, not the ids: an answer is repeated as it was given, also by a later version.
        """
        errors = [
            {
                "field": error.field,
                "code": error.code,
                "message": error.message,
                "remedy": error.remedy,
                "translations": _as_json(error.text),
            }
            for error in self.errors
        ]
        return {
            "kind": type(self).__name__,
            "detail": self.detail,
            "code": self.code.value,
            "remedy": self.remedy,
            "errors": errors,
            "translations": _as_json(self.text),
            "titles": {language: self.title_text.in_language(language) for language in self.title_text.languages},
            "extra": self.extra,
        }

    @staticmethod
    def restored(stored: Mapping[str, Any]) -> "Problem":
        """The problem that `stored` was made of."""
        kinds = {kind.__name__: kind for kind in _kinds_of(Problem)}
        errors = [
            FieldError(field=error["field"], code=error["code"], text=_from_json(error, error["message"]))
            for error in stored["errors"]
        ]
        text = _from_json(stored, stored["detail"])
        problem = kinds[stored["kind"]](text, code=Code(stored["code"]), errors=errors, extra=stored["extra"])
        if titles := stored.get("titles"):  # earlier versions stored none
            problem.title_text = FixedText(titles[ENGLISH], titles)
        return problem

    def body(
        self, *, instance: str | None = None, request_id: str | None = None, language: str = ENGLISH
    ) -> dict[str, object]:
        """The answer's body: the same through REST (application/problem+json) and MCP."""
        wording = self.text.wording(language)
        return {
            "type": f"urn:ledgerkit:problem:{self.code.lower().replace('_', '-')}",
            "title": self.title_text.in_language(language),
            "status": self.status,
            "detail": wording.message,
            "instance": instance,
            "code": self.code.value,
            "error": wording.message,
            "errors": [error.body(language) for error in self.errors],
            "remedy": wording.remedy or None,
            "requestId": request_id,
            **self.extra,
        }


def _kinds_of(kind: type[Problem]) -> Iterator[type[Problem]]:
    for narrower in kind.__subclasses__():
        yield narrower
        yield from _kinds_of(narrower)
