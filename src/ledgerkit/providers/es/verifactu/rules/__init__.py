"""Rules that a document must keep, checked before it has a number: one table, each row with its code and source.

Source: AEAT, VERI*FACTU validations 1.2.2 (08/04/2026). Codes of which no row speaks are in `elsewhere`.
"""

from collections.abc import Sequence
from datetime import date

from ledgerkit.providers.api import Document, FieldProblem
from ledgerkit.providers.es.verifactu.rules import heading, kinds, people, regimes, taxes, vat_rates
from ledgerkit.providers.es.verifactu.rules.elsewhere import ELSEWHERE
from ledgerkit.providers.es.verifactu.rules.rule import Block, Rule
from ledgerkit.providers.es.verifactu.rules.subject import Subject

BLOCKS: tuple[Block, ...] = (
    *heading.BLOCKS,
    *kinds.BLOCKS,
    *people.BLOCKS,
    *taxes.BLOCKS,
    *vat_rates.BLOCKS,
    *regimes.BLOCKS,
)
TABLE: tuple[Rule, ...] = tuple(row for block in BLOCKS for row in block.rules)

__all__ = ["ELSEWHERE", "TABLE", "Rule", "preflight"]


def preflight(document: Document, today: date) -> Sequence[FieldProblem]:
    """Every problem of `document`, each once, in the order of the table."""
    subject = Subject(document=document, today=today)
    concerned = [block.rules for block in BLOCKS if block.concerns(subject)]
    problems = [row.problem(breach) for rows in concerned for row in rows for breach in row.broken(subject)]
    return list({(problem.field, problem.code, problem.message): problem for problem in problems}.values())
