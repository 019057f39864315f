"""Rehearsal of a proposal: a dry run of the operation, its summary, and what ties an agreement to what was shown."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar, cast
from uuid import UUID

from ledgerkit.core.platform.activity import queries as activity_queries
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.api_types.json_answers import Json, as_json, without_secrets
from ledgerkit.core.platform.approvals.table import StoredVersion
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.request import dry_run
from ledgerkit.core.platform.request.acts import SEALING_ACTIONS, Rehearsed, Stored, Summary
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import OPERATIONS, Operation, Unit
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.previews import Preview, StepLeftOutError
from ledgerkit.problems import Problem
from ledgerkit.texts import MessageId

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """Outcome that an operation would have, with its `summary` for a person who reads `language`.

    `is_asked`: the act asks a person. `idle` is why it does nothing; None where it does something. `is_repetition`:
    under its idempotency key it was done before. `digest` is of all that was shown, `versions` are the records that it
    touches. `needed` are the permissions that the caller needed.
    """

    summary: Summary
    language: str
    preview: Preview[Json]
    is_asked: bool
    idle: MessageId | None
    is_repetition: bool
    digest: str
    versions: Sequence[StoredVersion]
    needed: frozenset[Permission]

    @property
    def permissions(self) -> frozenset[Permission]:
        """Permissions that anybody else needs to see it or to do it."""
        return self.needed | self.preview.rights.of_others

    @cached_property
    def lines(self) -> Sequence[str]:
        return self.summary.lines(self.language)

    @property
    def entries(self) -> Sequence[ActivityLog]:
        return entries_of(self.preview)


def entries_of(preview: Preview[Json]) -> Sequence[ActivityLog]:
    """Return the entries that the activity log would get."""
    return cast("Sequence[ActivityLog]", preview.writes)


async def rehearse(
    ctx: Context, declaration: Operation, arguments: Mapping[str, Any], language: str | None = None
) -> Rehearsal:
    """Run an operation dry, with the caller's rights. Raises whatever it raises.

    Summary and answer are in `language`, by default that of the account: a later rehearsal in it has the same digest.
    """
    metadata = replace(ctx.request_metadata, headers={}, agreement=None, language=language or "")
    caller = replace(ctx, request_metadata=metadata)
    act = PerformedAct(declaration, arguments)

    async def run(inner: Context) -> Json:
        metadata.if_match = ctx.request_metadata.if_match
        if language is None:
            async with inner.reading() as reading:
                metadata.language = await members.locale_of_account(reading)
        work = declaration.run if inner.connection is None else declaration.perform
        await act.perform(inner, lambda: work(inner, *act.call))
        return act.answer

    preview = await dry_run.rehearse(caller, run, in_one_transaction=declaration.unit is not Unit.OWN)
    if preview.problem is not None:  # the refusal has left something done, so it is shown like any other answer
        preview = replace(preview, answer=preview.problem.body(language=metadata.language))
    entries = entries_of(preview)
    versions = await activity_queries.versions(ctx, entries, act.subject)
    return Rehearsal(
        summary=act.summary,
        language=metadata.language,
        preview=preview,
        is_asked=act.is_asked,
        idle=act.idle,
        is_repetition=metadata.replayed,
        digest=digest(preview.answer, entries),
        versions=[StoredVersion(**version._asdict()) for version in versions],
        needed=frozenset({declaration.permission, *preview.rights.held}),
    )


class PerformedAct:
    """An operation that is run, and the summary that is made of its results.

    `answer` is what it answers, as JSON, and empty where a step that is left out decides it; `entries` are those of the
    activity log, `is_asked`: a person is asked about it. `summary` is there once it has run. `has_read`: it tells of
    other records too, which neither the answer nor the log shows. `subject` is the record that it is tied to although
    the log may not name it, with its number.
    """

    summary: Summary

    def __init__(self, declaration: Operation, arguments: Mapping[str, Any]) -> None:
        assert declaration.act is not None, declaration.name  # noqa: S101 - ours: whatever is proposed has a summary
        self._act = declaration.act
        self._arguments = arguments
        self.call = declaration.arguments.of_call(arguments)
        self.answer: Json = {}
        self.entries: Sequence[ActivityLog] = ()
        self.is_asked = False
        self.idle: MessageId | None = None
        self.has_read = False
        self.subject: Mapping[tuple[str, str], str | None] = {}

    async def perform(self, ctx: Context, work: Callable[[], Awaitable[Result]]) -> Result:
        """Return the result of the operation, which `work` runs with `ctx`. Raises whatever it raises."""
        first_id = new_id()
        ctx.request_metadata.wordings = {}
        looking = replace(
            ctx, request_metadata=replace(ctx.request_metadata, headers={}, if_match=None, idempotency_key=None)
        )
        stored = self._act.before
        record_id = None if stored is None else _named(self._arguments, stored)
        before = {} if stored is None or record_id is None else await self._read(looking, stored.operation, *record_id)
        if stored is not None and stored.kind and before:
            self.subject = {(stored.kind, str(before["id"])): before.get("number")}
        earlier = await self._look_up(looking, before)
        try:
            result = await work()
        except StepLeftOutError:
            await self._summarise(looking, before, earlier, first_id)
            raise
        except Problem as problem:
            if ctx.kernel.dry_run is not None and problem in ctx.kernel.dry_run.results:
                await self._summarise(looking, before, earlier, first_id)
            raise
        finally:
            ctx.request_metadata.wordings = None
        self.answer = without_secrets(as_json(result))
        await self._summarise(looking, before, earlier, first_id)
        return result

    async def _summarise(self, looking: Context, before: Json, earlier: object, first_id: UUID) -> None:
        async with looking.reading() as inner:
            self.entries = await activity_queries.written(inner, first_id)
        if looking.kernel.dry_run is not None:
            looking.kernel.dry_run.writes = self.entries
        rehearsed = Rehearsed(
            arguments=self._arguments,
            before=before,
            answer=self.answer,
            entries=self.entries,
            currency=looking.account.currency,
            tax_id=looking.account.tax_id,
            read=lambda operation, *record_id: self._read(looking, operation, *record_id),
            earlier=earlier,
        )
        self.summary = (await self._act.summary(rehearsed)).in_words(looking.request_metadata.wordings or {})
        self.idle = None if self._act.idle is None else self._act.idle(rehearsed)
        self.is_asked = self.idle is None and self._act.asked_if is not None and self._act.asked_if(rehearsed)

    async def _look_up(self, looking: Context, before: Json) -> object:
        if self._act.earlier is None:
            return None
        self.has_read = True
        async with looking.reading() as inner:
            return await self._act.earlier(inner.db, before)

    async def _read(self, looking: Context, operation: str, *record_id: str) -> Json:
        """Return a record; an empty one where it is missing or not for the caller to read, which the act reports."""
        self.has_read = True
        declaration = OPERATIONS[operation]
        try:
            looking.require(declaration.permission)
            return as_json(await declaration.run(looking, record_id, {}))
        except Problem:
            return {}


def _named(arguments: Mapping[str, Any], stored: Stored) -> tuple[str, ...] | None:
    """Return the id of the record that the arguments name; none for the account's record, None for no record."""
    if not stored.argument:
        return ()
    name, _, field = stored.argument.partition(".")
    value = getattr(arguments.get(name), field, None) if field else arguments.get(name)
    return (str(value),) if value else None


# ---------------------------------------------------------------- what was shown


_CHANGING = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # ids
    r"|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)"  # moments
    r"|[A-Za-z0-9_+/=-]{36,}@?",  # fingerprints, tokens and pictures: of a moment, or random
)
"""Parts of texts that differ in any two runs of the same act."""

_SHORTEST_CHANGING = len("2026-11-29T00:00:00Z")
"""Characters of the shortest of these parts."""


_OF_THE_CALLER = {
    *("channel", "registerOf", "userId", "userName"),
    *("createdBy", "createdByName", "updatedBy", "updatedByName"),
}
"""Fields that say who did it and by which way, or that it was another's: the approver's, not the proposer's."""


def digest(answer: object, entries: Sequence[ActivityLog]) -> str:
    """Return a SHA-256 digest (hex) of an answer and of the entries of the log.

    New ids, moments, the caller and the numbers that are given with the act do not count: the number is the next one
    when it is done.
    """
    logged = [
        entry.model_dump(mode="json", include={"action", "entity_type", "entity_label", "changes"}) for entry in entries
    ]
    content = json.dumps(_lasting([answer, logged], _numbers(entries)), sort_keys=True, default=str)
    return sha256(content.encode()).hexdigest()


def lasting_lines(lines: Sequence[str], entries: Sequence[ActivityLog]) -> list[str]:
    """Return the lines of a summary with a sign in place of each number that the act gives."""
    return [_without_numbers(line, _numbers(entries)) for line in lines]


def _numbers(entries: Sequence[ActivityLog]) -> list[str]:
    return [entry.entity_label for entry in entries if entry.action in SEALING_ACTIONS and entry.entity_label]


def _without_numbers(words: str, numbers: Sequence[str]) -> str:
    for number in numbers:
        words = words.replace(number, "#")
    return words


def _lasting(value: object, numbers: Sequence[str]) -> object:
    """Return a value without the parts that differ in any two runs."""
    if isinstance(value, Mapping):
        return {name: _lasting(member, numbers) for name, member in value.items() if name not in _OF_THE_CALLER}
    if isinstance(value, list | tuple):
        return [_lasting(member, numbers) for member in value]
    if not isinstance(value, str):
        return value
    words = _without_numbers(value, numbers)
    return words if len(words) < _SHORTEST_CHANGING else _CHANGING.sub(_of_mail_address, words)


def _of_mail_address(match: re.Match[str]) -> str:
    """Return the beginning of a mail address, which is no fingerprint however long it is; nothing for all else."""
    return match[0] if match[0].endswith("@") else ""
