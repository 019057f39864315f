"""Differences, document by document, between the filed amounts and the present books."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations.api import BoxChange, DocumentChange
from ledgerkit.core.declarations.computation.columns import ComputedDeclaration
from ledgerkit.core.declarations.filed.amounts import DocumentAmounts
from ledgerkit.core.declarations.table import StoredDocumentRef
from ledgerkit.money import round_cents

_NOWHERE: Mapping[str, Decimal] = {}


def changed_documents(filed: DocumentAmounts, computed: ComputedDeclaration) -> Mapping[str, Sequence[BoxChange]]:
    """Return, by document, the boxes in which its amount differs from the filed amount, in cents."""
    now = _by_document(computed)
    changes = {key: _box_changes(filed.get(key, _NOWHERE), now.get(key, _NOWHERE)) for key in {**filed, **now}}
    return {key: boxes for key, boxes in changes.items() if boxes}


def described(
    changes: Mapping[str, Sequence[BoxChange]], documents: Iterable[StoredDocumentRef]
) -> Sequence[DocumentChange]:
    """Return the changes with the known facts about their documents, by date."""
    by_id = {document.id: document for document in documents}
    listed = [_described(by_id[key], boxes) for key, boxes in changes.items() if key in by_id]
    return sorted(listed, key=lambda change: (change.date, change.number or "", change.document_id))


def _by_document(computed: ComputedDeclaration) -> Mapping[str, Mapping[str, Decimal]]:
    amounts: defaultdict[str, dict[str, Decimal]] = defaultdict(dict)
    for box, of_documents in computed.evidence.items():
        for key, amount in of_documents.items():
            amounts[key][box] = amount
    return amounts


def _box_changes(filed: Mapping[str, Decimal], now: Mapping[str, Decimal]) -> Sequence[BoxChange]:
    amounts = ((box, _cents(filed.get(box)), _cents(now.get(box))) for box in sorted({**filed, **now}))
    return [BoxChange(box=box, before=before, after=after) for box, before, after in amounts if before != after]


def _cents(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else round_cents(amount)


def _described(document: StoredDocumentRef, boxes: Sequence[BoxChange]) -> DocumentChange:
    return DocumentChange(**declaration_output.document(document), boxes=list(boxes))
