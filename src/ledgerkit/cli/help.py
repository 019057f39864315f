"""Help of the commands in the operator's language. Its words in the code are English; catalogues translate them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command whose help is in the operator's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, cast("Any", _Translating(formatter)))


class Group(TyperGroup):
    """A group of commands whose help is in the operator's language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, cast("Any", _Translating(formatter)))


class _Translating:
    """Formatter of help that gets English words, ours and typer's, and writes their translations."""

    def __init__(self, formatter: Any) -> None:
        self._formatter = formatter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._formatter, name)

    def write_usage(self, prog: str, args: str = "") -> None:
        translated_args = " ".join(_translated(part) for part in args.split(" "))
        self._formatter.write_usage(prog, translated_args, prefix=f"{_translated('Usage')}: ")

    def write_text(self, text: str) -> None:
        self._formatter.write_text("\n\n".join(_translated(paragraph) for paragraph in paragraphs(text)))

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        with self._formatter.section(_translated(name)):
            yield

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None:
        self._formatter.write_dl([(name, _row(text)) for name, text in rows])


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each in one line: the keys of its translations."""
    return [" ".join(part.split()) for part in text.split("\n\n")]


def _row(text: str) -> str:
    """Translate the text about a command or an option, and its remarks as typer writes them: `[default: 50; ...]`."""
    words, bracket, remarks_text = text.partition("  [")
    remarks = [remark.partition(": ") for remark in remarks_text.removesuffix("]").split("; ")]
    translated_rest = "; ".join(f"{_translated(name)}{colon}{value}" for name, colon, value in remarks)
    return f"{_translated(words)}{bracket}{translated_rest}{']' if bracket else ''}"


def _translated(words: str) -> str:
    """Translate English words. The import waits until help is printed, since few commands print it."""
    translated: str = import_module("ledgerkit.commands.language").help_words(words)
    return translated
