"""Evaluate the offline engine on generated receipts and invoices: per field right, null and wrong.

make eval-receipts ARGS="--images 450": a third of them scans, a third with one bad trait of a photograph, a third with
three, of layouts and fonts that no rule was tuned on. `--split tuned` takes the others. `--cache DIR` keeps recognised
lines by the image's hash, for work on rules.
"""

import argparse
import hashlib
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ledgerkit.core.platform.confined.process import ConfinedProcess  # noqa: E402 - after its path
from ledgerkit.core.purchases.reading.ocr.recogniser import SCRIPT, lines_of  # noqa: E402 - after its path
from ledgerkit.providers.api import DocumentReading, ReadField  # noqa: E402 - after its path
from ledgerkit.providers.es import country  # noqa: E402 - after its path
from support.receipts import Condition, Specimen, Split, specimen  # noqa: E402 - after its path
from support.receipts.truth import TODAY, Truth  # noqa: E402 - after its path

FIELDS = ("total", "date", "NIF", "VAT rate", "vendor", "number", "base and tax", "retention", "IBAN", "payment")
USABLE = 0.5
"""Confidence from which a value counts as given: below it a person is asked to look."""


class Recognition:
    """Recognised lines of an image, kept in a directory when there is one."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._process: ConfinedProcess | None = None
        self.seconds: list[float] = []

    def __call__(self, png: bytes) -> bytes:
        file = self._cache and self._cache / f"{hashlib.sha256(png).hexdigest()}.json"
        if file and file.exists():
            return file.read_bytes()
        if self._process is None:
            self._process = ConfinedProcess(SCRIPT)
            self._process.await_ready(60)
        started = perf_counter()
        content = self._process.ask(png, 120).content
        self.seconds.append(perf_counter() - started)
        if file:
            file.write_bytes(content)
        return content

    def close(self) -> None:
        if self._process:
            self._process.close()


def verdicts(reading: DocumentReading, truth: Truth) -> dict[str, str]:
    """Return right, null or wrong for each field that the document shows; wrong too for one that it does not show."""
    rates = frozenset(tax.rate for tax in reading.taxes if tax.confidence >= USABLE) or None
    judged = {
        "total": verdict(given(reading.total), truth.total),
        "date": verdict(given(reading.issue_date), truth.issue_date),
        "NIF": verdict(given(reading.vendor_tax_id), truth.tax_id),
        "VAT rate": verdict(rates, truth.rates),
        "vendor": verdict(letters(given(reading.vendor_name)), letters(truth.vendor)),
        "base and tax": taxes_verdict(reading, truth),
        "number": verdict(letters(given(reading.document_number)), letters(truth.number)),
        "retention": verdict(given(reading.retention_total), truth.retention),
        "IBAN": verdict(given(reading.iban), truth.iban),
        "payment": verdict(given(reading.payment_method), truth.payment_method),
    }
    return {name: mark for name, mark in judged.items() if mark}


def given(field: ReadField) -> object:
    """Return the value of a field that is sure enough to be shown as read."""
    return field.value if field.confidence >= USABLE else None


def verdict(value: object, expected: object) -> str | None:
    """Return right, null or wrong; None where there is nothing and nothing was read."""
    if value is None:
        return None if expected is None else "null"
    return "right" if value == expected else "wrong"


def taxes_verdict(reading: DocumentReading, truth: Truth) -> str | None:
    whole = [tax for tax in reading.taxes if tax.base is not None and tax.amount is not None]
    figures = {(tax.rate, tax.base, tax.amount) for tax in whole}
    expected = {(tax.rate, tax.base, tax.amount) for tax in truth.taxes} if truth.shows_figures else set()
    if not figures <= expected:
        return "wrong"
    return None if not expected else "right" if figures == expected else "null"


def letters(text: object) -> str | None:
    """Return a text without accents, marks and spaces, for comparison."""
    if text is None:
        return None
    decomposed = unicodedata.normalize("NFKD", str(text)).casefold()
    return "".join(mark for mark in decomposed if mark.isascii() and mark.isalnum())


def evaluate(specimens: Iterable[Specimen], recognise: Recognition, *, verbose: bool) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    for each in specimens:
        lines = lines_of(recognise(each.png()))
        reading = country.readings.read(lines, TODAY)
        for name, mark in verdicts(reading, each.truth).items():
            counts[name][mark] += 1
            if verbose and mark != "right":
                print(f"{each.name}: {name} {mark}", flush=True)
    return counts


def table(counts: dict[str, Counter[str]]) -> str:
    rows = ["| field | documents | right | null | wrong |", "|---|---|---|---|---|"]
    for name, count in counts.items():
        if number := count.total():
            shares = " | ".join(f"{100 * count[verdict] / number:.1f} %" for verdict in ("right", "null", "wrong"))
            rows.append(f"| {name} | {number} | {shares} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--split", type=Split, default=Split.HELD_OUT)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--only", type=Condition)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    recognise = Recognition(arguments.cache)
    conditions = [arguments.only] if arguments.only else list(Condition)
    seeds = range(arguments.first, arguments.first + arguments.images // len(conditions))
    try:
        for condition in conditions:
            specimens = (specimen(seed, arguments.split, condition) for seed in seeds)
            counts = evaluate(specimens, recognise, verbose=arguments.verbose)
            print(f"\n{condition}, layouts {arguments.split}, {len(seeds)} images\n\n{table(counts)}", flush=True)
    finally:
        recognise.close()
    if recognise.seconds:
        print(f"\n{len(recognise.seconds)} recognitions, {sum(recognise.seconds) / len(recognise.seconds):.1f} s each")


if __name__ == "__main__":
    main()
