"""Rules that a document must keep, checked before it has a number: one table, each row with its code and source.

Source: AEAT, VERI*FACTU validations 1.2.2 (08/04/2026). `ELSEWHERE` has the codes of which no row speaks.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from ledgerkit.providers.api import Document, FieldProblem
from ledgerkit.providers.es.verifactu.rules import heading, kinds, people, regimes, taxes, vat_rates
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
    """Return every problem of a document, each once, in the order of the table."""
    subject = Subject(document=document, today=today)
    concerned = [block.rules for block in BLOCKS if block.concerns(subject)]
    problems = [row.problem(breach) for rows in concerned for row in rows for breach in row.broken(subject)]
    return list({(problem.field, problem.code, problem.message): problem for problem in problems}.values())


_REASONS = {
    "only the authority has the census of taxpayers": "1109 1110 1239 2001 4123",
    "only the authority has the agreements with it": "1128",
    "only the authority has what others sent it": "3000",
    "whether a record amends, and what, is chosen by `corrections` from the accepted history": "1153 1161",
    "the record names how it corrects exactly when it corrects": "1115",
    "replaced amounts are written exactly for a substitution": "1119",
    "the mark of a very large amount is computed from the total": "1138 1139",
    "clients of F2 and R5 are never written": "1190",
    "a country is always written beside a document; one that the list lacks is QU": "1111",
    "a British number of the time after leaving is written as an official document of GB, not as a VAT number": "1255",
    "the same as 1155 and 1159": "1187",
    "not applied by the authority's service, whatever its table says": "1191 1192",
    "every tax category is either a qualification or an exemption": "1195",
    "a taxed line always has rate and tax": "1208",
    "a surcharge of zero is never written": "1165",
    "a line without its regime key has the general one": "1245 2009",
    "totals are sums of the lines, rounded per entry: they cannot be 10 euro off": "2005 2006",
    "the link is copied from the record before, whose fingerprint this program made": "2002 2003",
    "settings of the operator, checked when they are read": "1176 1177 1221",
    "of a message or its settings, not of a document": "4114 4117 4120",
    "of annulments: `annulment` checks them": "1224 1227 1229 1234 1259",
}

ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {code: reason for reason, codes in _REASONS.items() for code in codes.split()}
)
"""Codes that a client could check and that no row of the table checks, each with the reason."""
