"""One line of `ledgerkit doctor`, in both languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ledgerkit.commands.language import SPANISH, sentence
from ledgerkit.problems import Problem
from ledgerkit.providers.api import FieldProblem
from ledgerkit.texts import ENGLISH

Subject = tuple[str, str]
"""Subject of a finding, in English and in Spanish."""


class Weight(StrEnum):
    """Nothing to do; better done; the server does not start, or does not do its work, without it."""

    GOOD = "good"
    ADVISED = "advised"
    MISSING = "missing"


LABELS: Mapping[str, Mapping[Weight, str]] = {
    ENGLISH: {Weight.GOOD: "ok", Weight.ADVISED: "advice", Weight.MISSING: "missing"},
    SPANISH: {Weight.GOOD: "bien", Weight.ADVISED: "consejo", Weight.MISSING: "falta"},
}


@dataclass(frozen=True)
class Finding:
    weight: Weight
    english: str
    spanish: str

    def line(self, language: str) -> str:
        said = self.spanish if language == SPANISH else self.english
        return f"{LABELS[language][self.weight]:<8} {' '.join(said.split())}"


def good(english: str, spanish: str) -> Finding:
    return Finding(Weight.GOOD, english, spanish)


def advised(english: str, spanish: str) -> Finding:
    return Finding(Weight.ADVISED, english, spanish)


def missing(english: str, spanish: str) -> Finding:
    return Finding(Weight.MISSING, english, spanish)


def of_error(subject: Subject, error: Exception) -> Finding:
    """An error whose text says what to do; it has one language."""
    return missing(f"{subject[0]}: {error}", f"{subject[1]}: {error}")


def of_problem(subject: Subject, problem: Problem) -> Finding:
    """A problem in the languages that it has."""
    said = problem.translations.get(SPANISH)
    english = f"{sentence(problem.detail)} {problem.remedy or ''}"
    spanish = f"{sentence(said.message)} {said.remedy}" if said else english
    return missing(f"{subject[0]}: {english}", f"{subject[1]}: {spanish}")


def of_field(subject: Subject, problem: FieldProblem, weight: Weight = Weight.MISSING) -> Finding:
    """List the settings that a country's channel lacks: by variable, with its remedy."""
    said = (problem.translations or {}).get(SPANISH)
    english = f"{problem.field}: {sentence(problem.message)} {problem.remedy}"
    spanish = f"{problem.field}: {sentence(said.message)} {said.remedy}" if said else english
    return Finding(weight, f"{subject[0]}: {english}", f"{subject[1]}: {spanish}")
