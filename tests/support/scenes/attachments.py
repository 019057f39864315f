"""Attachments."""

from support.api import Api
from support.scenes.ask import EVERYBODY, MEMBERS, Ask, Failing, Ids, Of

PDF = "data:application/pdf;base64,JVBERi0xLjQKJSVFT0YK"
_OF_EXPENSE = {"documentType": "expense", "documentId": Of("expense with files")}


async def _with_a_file_of_the_callers(caller: Api, ids: Ids) -> Ids:
    """Nobody else attaches a file that is not attached yet. Who may not upload tries with another's."""
    answer = await caller.request("POST", "/api/attachments", {"content": PDF})
    return {**ids, "unattached": answer.json()["id"]} if answer.is_success else ids


ASKS: dict[str, Ask] = {
    "GET /api/attachments": Ask(query=_OF_EXPENSE, allowed=EVERYBODY),
    "POST /api/attachments": Ask(body={"name": "factura.pdf", "content": PDF}, allowed=MEMBERS),
    "GET /api/attachments/{id}": Ask("attachment", allowed=EVERYBODY),
    "PUT /api/attachments/{id}": Ask(
        "unattached",
        {"documentType": "task", "documentId": Of("task with files")},
        allowed=MEMBERS,
        before=_with_a_file_of_the_callers,
    ),
    "GET /api/attachments/{id}/content": Ask("attachment", allowed=EVERYBODY),
    "DELETE /api/attachments/{id}": Ask("doomed attachment", allowed=MEMBERS),
}

FAILURES: dict[tuple[str, int], Failing] = {}

FILLS = ("activity", "attachment", "attachment_usage", "expense", "task", "tally")


async def scene(api: Api) -> dict[str, str]:
    expense = await api.post("/api/expenses", {"description": "Tóner", "amount": 60.5, "date": "2026-11-02"})
    task = await api.post("/api/tasks", {"title": "Archivar"})
    of_expense = {"documentType": "expense", "documentId": expense["id"]}
    of_task = {"documentType": "task", "documentId": task["id"]}
    attached = await api.post("/api/attachments", {"name": "ticket.pdf", "content": PDF, **of_expense})
    doomed = await api.post("/api/attachments", {"name": "foto.pdf", "content": PDF, **of_task})
    loose = await api.post("/api/attachments", {"name": "suelto.pdf", "content": PDF})
    return {
        "expense with files": expense["id"],
        "task with files": task["id"],
        "attachment": attached["id"],
        "doomed attachment": doomed["id"],
        "unattached": loose["id"],
    }
