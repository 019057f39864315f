"""What the producer of this software declares, kept for every version it was ever declared for; and legal days."""

import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit.core.einvoice import channels, rejection_texts
from ledgerkit.core.einvoice.certificates.schemas import (
    DeclarationShown,
    DeclaredItem,
    FormerDay,
    ObligationShown,
)
from ledgerkit.core.einvoice.models import fiscal_declaration
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid, NotFound, bilingual
from ledgerkit.providers.api import Declaration, Environment, FiscalChannel

_TABLE = fiscal_declaration.c


@operation(
    Permission.ACCOUNT,
    name="einvoice.papers.declarations.declaration",
    errors=[(Invalid, {Code.EINVOICE_UNSUPPORTED, Code.DECLARATION_INCOMPLETE}), (NotFound, {Code.NOT_FOUND})],
    effects=Effect.IDEMPOTENT,
)
async def declaration(ctx: Context, version: str | None = None) -> DeclarationShown:
    """The declaration for the version that runs, or as it was last shown for another `version`.

    What is shown is kept for good; a specimen of the sandbox, which declares nothing, is not.
    Raises Invalid DECLARATION_INCOMPLETE, naming the settings that lack, EINVOICE_UNSUPPORTED; NotFound for a version
    of which none is kept.
    """
    channel = channels.required(ctx)
    if channel.declares is None:
        raise channels.unsupported(ctx)
    found = channel.declares.declaration(Environment(ctx.settings.einvoice_env.value))
    if isinstance(found, Declaration):
        if version in {None, found.version}:
            return await _current(ctx, channel, found)
    elif version is None:
        unset = ", ".join(one.field for one in found)
        raise bilingual(
            Invalid,
            (
                "The declaration of this software cannot be made: its producer is not configured.",
                f"The operator sets {unset}.",
            ),
            (
                "No se puede hacer la declaración de este programa: su productor no está configurado.",
                f"El operador indica {unset}.",
            ),
            code=Code.DECLARATION_INCOMPLETE,
            errors=[rejection_texts.field_error(one) for one in found],
        )
    return await _former(ctx, channel, version or "")


def obligations(channel: FiscalChannel | None) -> list[ObligationShown]:
    """Whom the law obliges, from which day on; none where the country says nothing of it."""
    if channel is None or channel.declares is None:
        return []
    return [
        ObligationShown(
            who=one.who,
            since=one.since,
            source=one.source,
            former=[FormerDay(since=day.since, source=day.source) for day in one.former],
            announced=one.announced,
        )
        for one in channel.declares.obligations()
    ]


def as_text(shown: DeclarationShown) -> str:
    """For reading and printing: each item after its describing text."""
    parts = [shown.title, *([shown.notice] if shown.notice else [])]
    parts += [f"{item.key}) {item.text}:\n{item.value}" for item in (*shown.items, *shown.annex)]
    return "\n\n".join(parts) + "\n"


def as_html(shown: DeclarationShown) -> str:
    """The same as a page of its own, which loads nothing."""
    rows = "".join(
        f"<dt>{escape(item.key)}) {escape(item.text)}</dt><dd>{escape(item.value)}</dd>"
        for item in (*shown.items, *shown.annex)
    )
    notice = f'<p role="alert"><strong>{escape(shown.notice)}</strong></p>' if shown.notice else ""
    return (
        f'<!DOCTYPE html><html lang="{escape(shown.language)}"><head><meta charset="utf-8">'
        f"<title>{escape(shown.title)}</title></head>"
        f"<body><h1>{escape(shown.title)}</h1>{notice}<dl>{rows}</dl></body></html>"
    )


async def _current(ctx: Context, channel: FiscalChannel, found: Declaration) -> DeclarationShown:
    content = _content(found)
    digest = _digest(content)
    if found.notice is not None:
        return _shown(content, digest, None)
    row = {"channel": channel.id, "version": found.version, "digest": digest, "content": content}
    await ctx.db.execute(upsert(fiscal_declaration).values(row).on_conflict_do_nothing())
    query = select(_TABLE.rendered_at).where(
        _TABLE.channel == channel.id, _TABLE.version == found.version, _TABLE.digest == digest
    )
    return _shown(content, digest, (await ctx.db.execute(query)).scalar_one())


async def _former(ctx: Context, channel: FiscalChannel, version: str) -> DeclarationShown:
    kept = select(fiscal_declaration).where(_TABLE.channel == channel.id)
    latest = kept.where(_TABLE.version == version).order_by(_TABLE.rendered_at.desc(), _TABLE.digest).limit(1)
    row = (await ctx.db.execute(latest)).one_or_none()
    if row is None:
        versions = select(_TABLE.version).where(_TABLE.channel == channel.id).distinct().order_by(_TABLE.version)
        known = ", ".join((await ctx.db.execute(versions)).scalars())
        raise bilingual(
            NotFound,
            (
                f"No declaration is kept for version {version}.",
                f"There are those of: {known or 'none'}. Without `version` you get the one of the version that runs.",
            ),
            (
                f"No se conserva ninguna declaración de la versión {version}.",
                f"Las hay de: {known or 'ninguna'}. Sin `version` se obtiene la de la versión en marcha.",
            ),
        )
    return _shown(row.content, row.digest, row.rendered_at)


def _content(found: Declaration) -> dict[str, Any]:
    return {
        "title": found.title,
        "version": found.version,
        "language": found.language,
        "notice": found.notice,
        "items": [{"key": one.key, "text": one.text, "value": one.value} for one in found.items],
        "annex": [{"key": one.key, "text": one.text, "value": one.value} for one in found.annex],
    }


def _digest(content: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode()).digest()


def _shown(content: Mapping[str, Any], digest: bytes, rendered_at: Any) -> DeclarationShown:
    return DeclarationShown(
        title=content["title"],
        version=content["version"],
        language=content["language"],
        notice=content["notice"],
        items=[DeclaredItem(**one) for one in content["items"]],
        annex=[DeclaredItem(**one) for one in content["annex"]],
        digest=digest.hex(),
        rendered_at=rendered_at,
    )
