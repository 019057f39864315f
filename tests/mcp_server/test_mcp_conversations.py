"""The conversations of docs/mcp-conversations.md, called as they stand there."""

import json
import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from support.periods import quarter

DOCUMENT = Path(__file__).parents[2] / "docs" / "mcp-conversations.md"
SECTION = re.compile(r"^## \d+\. (.+?)$.*?^```tools\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"(?:(\w+) = )?(confirmed )?(\w+) (\{.*?\})(?: (->|!>) (\{.*\}))?")
CONVERSATIONS = dict(SECTION.findall(DOCUMENT.read_text(encoding="utf-8")))


def filled(value, kept):
    """The value with every `<name.field>` replaced by what the earlier answer holds."""
    if isinstance(value, dict):
        return {key: filled(part, kept) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, kept) for part in value]
    reference = re.fullmatch(r"<(\w+)(?:\.(\w+))?>", value) if isinstance(value, str) else None
    if reference is None:
        return value
    answer = kept[reference[1]]
    return answer[reference[2]] if reference[2] else answer


def holds(answer, shown):
    """The part of an answer that the document shows."""
    return {key: holds(answer[key], part) if isinstance(part, dict) else answer[key] for key, part in shown.items()}


def today():
    day = datetime.now(tz=ZoneInfo("Europe/Madrid")).date()
    return {"today": day.isoformat(), "year": day.year, "quarter": quarter(day)}


async def answered(client, tool, arguments, *, confirmed):
    done = await client.call_tool(tool, arguments)
    asked = not done.is_error and bool(done.structured_content.get("confirmationRequired"))
    assert asked is confirmed, (tool, done.structured_content)
    if not asked:
        return done
    return await client.call_tool(
        tool, arguments | {"confirmation_token": done.structured_content["confirmationToken"]}
    )


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("title", CONVERSATIONS)
async def test_a_conversation_goes_as_the_document_shows(site, title, era):
    kept = today()
    async with site.agent(await site.person()).connected(era) as client:
        for line in CONVERSATIONS[title].splitlines():
            name, confirmed, tool, arguments, arrow, shown = LINE.fullmatch(line).groups()
            done = await answered(client, tool, filled(json.loads(arguments), kept), confirmed=bool(confirmed))
            answer = done.structured_content
            expected = filled(json.loads(shown or "{}"), kept)
            assert done.is_error is (arrow == "!>"), (line, answer)
            assert holds(answer, expected) == expected, (line, answer)
            kept[name] = answer


def test_there_are_ten_conversations():
    assert len(CONVERSATIONS) == 10
