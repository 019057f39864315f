"""Dry runs over REST: the header that asks for one, and the envelope of the answer."""

from typing import Any

from fastapi import Request, Response

from ledgerkit.core.platform.request.context import RequestMetadata
from ledgerkit.core.platform.request.previews import PREVIEW_MEDIA, Preview
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Invalid
from ledgerkit.routers.messages import RoutersMsg
from ledgerkit.texts import text

HEADER = "Dry-Run"

_JSON_TYPES = ("application/json", "application/problem+json")

_VALUES = {"true": True, "false": False}


def is_requested(request: Request, *, possible: bool) -> bool:
    """Return True for `Dry-Run: true`.

    Raises Invalid for any other value than `true` and `false`. If a dry run is not `possible`, every value is invalid:
    on pages, and in protocols whose answers have their own form.
    """
    sent = request.headers.getlist(HEADER)
    if not sent:
        return False
    if not possible:
        raise Invalid.field(HEADER, RoutersMsg.DRY_RUN_ELSEWHERE)
    if len(sent) > 1 or (value := sent[0].strip().lower()) not in _VALUES:
        raise Invalid.field(HEADER, RoutersMsg.DRY_RUN_UNUSABLE)
    return _VALUES[value]


def enveloped(request_metadata: RequestMetadata, answer: Response | None, status: int) -> Response:
    """Return the answer of a dry run: status and body of the real answer, entries to write, steps left out.

    `answer` is None where the run ended at a step that a dry run leaves out. Files are left out, too. There is no ETag,
    because the record is not stored in this version.
    """
    request_metadata.headers.pop("ETag", None)
    preview: Preview[object] | None = request_metadata.preview
    steps = [] if preview is None else list(preview.left_out)
    body = _json(answer)
    if answer is not None and body is None and status != 204:
        steps.append(DryRunMsg.FILE)
    writes = [] if preview is None else [entry.model_dump(mode="json", by_alias=True) for entry in preview.writes]
    left_out = [text(step).in_language(request_metadata.language) for step in dict.fromkeys(steps)]
    envelope_end = dumps_exact({"writes": writes, "leftOut": left_out}).encode()
    content = b'{"dryRun":true,"status":%d,"answer":%b,%b' % (status, body or b"null", envelope_end[1:])
    return Response(content, media_type=PREVIEW_MEDIA, headers=_headers(answer))


def _json(answer: Response | None) -> bytes | None:
    """Return the body of an answer; None without one, and for one that is not JSON."""
    if answer is None or not answer.headers.get("content-type", "").startswith(_JSON_TYPES):
        return None
    body: Any = getattr(answer, "body", b"")
    return bytes(body) or None


def _headers(answer: Response | None) -> dict[str, str]:
    """Return the headers with a list's totals and neighbouring pages."""
    headers = {} if answer is None else dict(answer.headers)
    return {name: value for name, value in headers.items() if name == "link" or name.startswith("x-")}
