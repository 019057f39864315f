"""One line of `ledgerkit doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.commands.language import Sentences
from ledgerkit.problems import Problem
from ledgerkit.providers.api import FieldProblem
from ledgerkit.settings.start_errors import StartError
from ledgerkit.settings.values import UnfitValueError
from ledgerkit.texts import Message, MessageId, Text, text

Subject = MessageId | Text


class Weight(StrEnum):
    """Weight of a finding. ADVISED: better done. MISSING: the server does not start, or does not work, without it."""

    GOOD = "good"
    ADVISED = "advised"
    MISSING = "missing"


_LABELS: Mapping[Weight, MessageId] = {
    Weight.GOOD: DoctorMsg.WEIGHT_GOOD,
    Weight.ADVISED: DoctorMsg.WEIGHT_ADVISED,
    Weight.MISSING: DoctorMsg.WEIGHT_MISSING,
}


@dataclass(frozen=True)
class Finding:
    weight: Weight
    text: Text

    def line(self, language: str) -> str:
        words = " ".join(self.text.in_language(language).split())
        return f"{text(_LABELS[self.weight]).in_language(language):<8} {words}"


def good(message: MessageId, /, **values: object) -> Finding:
    return Finding(Weight.GOOD, Message(message, values))


def advised(message: MessageId, /, **values: object) -> Finding:
    return Finding(Weight.ADVISED, Message(message, values))


def missing(message: MessageId, /, **values: object) -> Finding:
    return Finding(Weight.MISSING, Message(message, values))


def of_error(subject: Subject, error: Exception) -> Finding:
    """Return the finding of an error, whose text says what to do."""
    finding = error.text if isinstance(error, StartError | UnfitValueError) else error
    return missing(DoctorMsg.ABOUT, subject=subject, finding=finding)


def of_problem(subject: Subject, problem: Problem) -> Finding:
    """Return the finding of a problem and its remedy."""
    return missing(DoctorMsg.ABOUT, subject=subject, finding=Sentences(problem.text))


def of_field(subject: Subject, problem: FieldProblem, weight: Weight = Weight.MISSING) -> Finding:
    """Return the finding of a problem of one setting of a country's channel, with its remedy."""
    finding = text(DoctorMsg.ABOUT, subject=problem.field, finding=Sentences(problem.text))
    return Finding(weight, text(DoctorMsg.ABOUT, subject=subject, finding=finding))
