"""Evaluate the offline engine on generated receipts and invoices: per field right, null and wrong.

make eval-receipts ARGS="--images 300": half of them scans, half bad photographs, of layouts and fonts that no rule was
tuned on. `--split tuned` takes the others. `--cache DIR` keeps recognised lines by the image's hash, for work on rules.
"""

import argparse
import hashlib
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from ledgerkit.core.confined.process import ConfinedProcess  # noqa: E402
from ledgerkit.core.intake.ocr.recogniser import SCRIPT, lines_of  # noqa: E402
from ledgerkit.providers.api import DocumentReading  # noqa: E402
from ledgerkit.providers.es import country  # noqa: E402
from support.receipts import Specimen, Split, specimen  # noqa: E402
from support.receipts.truth import TODAY, Truth  # noqa: E402

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


def same_text(left: str | None, right: str | None) -> bool:
    return left is not None and right is not None and _letters(left) == _letters(right)


def _letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(mark for mark in decomposed if mark.isascii() and mark.isalnum())


def verdicts(reading: DocumentReading, truth: Truth) -> dict[str, str]:
    """Return right, null or wrong for each field that the document shows."""

    def given(field):
        return field.value if field.confidence >= USABLE else None

    def judged(value, expected, same=lambda left, right: left == right):
        return "null" if value is None else "right" if same(value, expected) else "wrong"

    full = {
        (tax.rate, tax.base, tax.amount) for tax in reading.taxes if tax.base is not None and tax.amount is not None
    }
    expected = {(tax.rate, tax.base, tax.amount) for tax in truth.taxes}
    marks = {
        "total": judged(given(reading.total), truth.total),
        "date": judged(given(reading.issue_date), truth.issue_date),
        "NIF": judged(given(reading.vendor_tax_id), truth.tax_id),
        "VAT rate": judged(
            frozenset(tax.rate for tax in reading.taxes if tax.confidence >= USABLE) or None, truth.rates
        ),
        "vendor": judged(given(reading.vendor_name), truth.vendor, same_text),
        "base and tax": "null"
        if not full
        else "right"
        if full <= expected and len(full) == len(expected)
        else "null"
        if full <= expected
        else "wrong",
    }
    for name, value, wanted, same in (
        ("number", given(reading.document_number), truth.number, same_text),
        ("retention", given(reading.retention_total), truth.retention, lambda left, right: left == right),
        ("IBAN", given(reading.iban), truth.iban, lambda left, right: left == right),
        ("payment", given(reading.payment_method), truth.payment_method, lambda left, right: left == right),
    ):
        if wanted is not None:
            marks[name] = judged(value, wanted, same)
        elif value is not None and name in {"retention", "IBAN"}:
            marks[name] = "wrong"
    return marks


def evaluate(specimens: list[Specimen], recognise: Recognition, *, verbose: bool) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    for each in specimens:
        lines = lines_of(recognise(each.png()))
        reading = country.readings.read(lines, TODAY)
        for name, verdict in verdicts(reading, each.truth).items():
            counts[name][verdict] += 1
            if verbose and verdict != "right" and name in FIELDS[:6]:
                print(f"{each.name}: {name} {verdict}")
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
    parser.add_argument("--only", choices=("plain", "degraded"))
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    recognise = Recognition(arguments.cache)
    seeds = range(arguments.first, arguments.first + arguments.images // (1 if arguments.only else 2))
    try:
        for kind in ("plain", "degraded"):
            if arguments.only in {None, kind}:
                specimens = [specimen(seed, arguments.split, plain=kind == "plain") for seed in seeds]
                counts = evaluate(specimens, recognise, verbose=arguments.verbose)
                print(f"\n{kind}, {arguments.split}, {len(specimens)} images\n\n{table(counts)}", flush=True)
    finally:
        recognise.close()
    if recognise.seconds:
        print(f"\n{len(recognise.seconds)} recognitions, {sum(recognise.seconds) / len(recognise.seconds):.1f} s each")


if __name__ == "__main__":
    main()
