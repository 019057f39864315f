"""Answers and refusals in brief, for a reader that pays for every byte."""

from collections.abc import Mapping
from typing import Any

from ledgerkit.core.einvoice.inspection import alerts
from ledgerkit.core.platform.api_types.json_answers import Json
from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.problems import Code, FieldError, Problem
from ledgerkit.texts import ENGLISH, Message, languages, text
from ledgerkit.texts.common import CommonMsg

_LEFT_OUT = frozenset(
    {
        *("channel", "createdBy", "hash", "keyPrefix", "pdfUrl", "qr", "shareToken", "teamId"),
        *("translations", "updatedAt", "updatedBy", "xmlUrl"),
    }
)
"""Fields that no later call takes and no person asks for: ids without names, pictures, addresses of REST.

`shareToken` is the end of `shareUrl`."""

_OF_FORMS_ONLY = ("boxNames", "effectiveBoxes", "evidence", "recordFields", "sections")
"""Fields of a tax form whose content stands beside its boxes, or comes with one of them (`box`)."""

TRUE_AS_A_RULE = frozenset({"complete", "deductible", "emailVerified", "isActive", "isCompany", "ok"})
"""Fields whose absence would be read as true."""

_USUAL = {"issuedBy": "issuer", "origin": "own"}
"""Values that go without saying."""

_LISTED = frozenset({"items", "nextCursor"})
"""Fields of an answer that say something when they are empty, too: there is none, there are no more."""


def concise(answer: Json, language: str) -> Json:
    """Return an answer without what is null, false or empty, and a tax form with the boxes that are not zero.

    Texts in several languages are shown in the reader's. An answer of which nothing would be left stays as it is.
    """
    empty = {name: value for name, value in answer.items() if name in _LISTED and not value}
    return (empty | _brief(answer, language)) or answer


def _brief(record: Json, language: str) -> Json:
    brief: Json = {}
    for name, value in (_form(record) if "boxNames" in record else record).items():
        if name in _LEFT_OUT or (name in _USUAL and value == _USUAL[name]):
            continue
        shown = _shown(value, language) if isinstance(value, dict | list) else value
        if shown or _says_something(name, shown):
            brief[name] = shown
    return brief


def _shown(value: Any, language: str) -> Any:
    if isinstance(value, list):
        return [_shown(inner, language) for inner in value]
    if not isinstance(value, dict):
        return value
    if ENGLISH in value and value.keys() <= set(languages()):
        return value.get(language, value[ENGLISH])
    return _brief(value, language)


def _says_something(name: str, empty: Any) -> bool:
    """Return True for zero, and for false where its absence would be read as true."""
    return name in TRUE_AS_A_RULE if empty is False else isinstance(empty, int | float)


def _form(form: Json) -> Json:
    """Return a tax form with its boxes that are not zero, each with its name.

    A box whose value was typed in has the computed one beside it.
    """
    names, computed = form["boxNames"], form["boxes"]
    boxes: Json = {}
    for box, value in form["effectiveBoxes"].items():
        if value or computed.get(box):
            boxes[box] = {"name": names.get(box), "value": value}
            if computed.get(box) != value:
                boxes[box]["computed"] = computed.get(box)
    shown = {name: value for name, value in form.items() if name not in _OF_FORMS_ONLY} | {"boxes": boxes}
    records = [
        {name: value for name, value in record.items() if name != "documentIds"} for record in form.get("records", ())
    ]
    return {**shown, "records": records}


# ---------------------------------------------------------------- refusals


def refusal(problem: Problem, language: str, request_id: str | None) -> Json:
    """Return a problem that says each thing once: code, fields, message, remedy, and what else the problem has.

    The request's id stands in it only if the fault is ours: then somebody looks for it in the log.
    """
    wording = problem.text.wording(language)
    remedy = _lookup(problem, language) or wording.remedy
    brief = {
        "code": problem.code.value,
        "message": None if _is_in_errors(problem, language) else wording.message,
        "errors": [_error(error, problem, language) for error in problem.errors],
        "remedy": remedy,
        "requestId": request_id if problem.status >= 500 else None,
    }
    extra = _rejected(problem.extra, language) if problem.code in _REJECTIONS else problem.extra
    return concise(brief | extra, language)


_REJECTIONS = frozenset({Code.AUTHORITY_REJECTED, Code.NUMBER_TAKEN})
_OF_RESULT = frozenset({"corrects", "errors", "refused"})
_OF_RECORD = ("invoiceId", "number", "fiscalId", "kind", "status")


def _rejected(extra: Json, language: str) -> Json:
    """Return what a rejection has beside its message, which tells the first error: the record, and what corrects it."""
    result = extra.get("result") or {}
    if not result.keys() >= _OF_RESULT:
        return extra
    refused = result["refused"]
    errors = (refused or result)["errors"]
    code = errors[0]["code"] if errors else None
    is_held = refused is not None or result["corrects"] is not None
    kind = refused["kind"] if refused else result["kind"]
    further = [{"code": error["code"], "message": _meaning(error, language)} for error in errors[1:]]
    shown = {name: result.get(name) for name in _OF_RECORD}
    cause = _meaning(errors[0], language) if errors and _meaning(errors[0], language) != errors[0]["message"] else None
    step = text(alerts.next_step(kind, code, is_held=is_held)).in_language(language)
    return {**extra, "result": {**shown, "cause": cause, "furtherErrors": further}, "nextStep": step}


def _meaning(error: Json, language: str) -> str:
    """Return the meaning of an error of the authority, or its own words where that is unknown."""
    cause = error["cause"] or {}
    return str(cause.get(language) or cause.get(ENGLISH) or error["message"])


_FOUND_BY: Mapping[str, str] = {
    "activity entry": "get_history",
    "cash register": "get_cash_register {view: history}",
    "catalog item": "list_catalog_items",
    "client": "list_clients",
    "expense": "list_expenses",
    "invitation": "get_team",
    "invoice": "list_invoices",
    "member": "get_team",
    "supplier invoice": "list_supplier_invoices",
    "task": "list_tasks",
    "tax declaration": "list_tax_declarations",
    "vendor": "list_vendors",
}
"""Call that shows the ids of each kind of records."""


def _lookup(problem: Problem, language: str) -> str | None:
    """Return the remedy for an id that no record has: the call that shows those that there are."""
    message = problem.text.message
    if not isinstance(message, Message) or message.id is not DatabaseMsg.RECORD_MISSING:
        return None
    call = _FOUND_BY.get(str(message.values["what"]))
    return text(McpMsg.FIND_ID, call=call).in_language(language) if call else None


def _error(error: FieldError, problem: Problem, language: str) -> Json:
    """Return one field's error, without what the problem says itself and without a remedy that only names the field."""
    brief = error.body(language)
    is_usual = isinstance(error.text.remedy, Message) and error.text.remedy.id is CommonMsg.CORRECT_FIELD
    if is_usual or brief.get("remedy") == problem.text.wording(language).remedy:
        brief.pop("remedy", None)
    if brief["code"] == problem.code:
        del brief["code"]
    return brief


def _is_in_errors(problem: Problem, language: str) -> bool:
    """Return True if the fields' errors say what the problem's own message says."""
    message = problem.text.wording(language).message
    is_form = problem.code is Code.VALIDATION_ERROR
    parts = [error.field if is_form else error.text.wording(language).message for error in problem.errors]
    return bool(parts) and all(part in message for part in parts)
