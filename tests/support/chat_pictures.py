"""Chats of the fake Bot API as pages to be photographed: who said what, the buttons, pictures and documents."""

import base64
import io
from collections.abc import Sequence
from html import escape

from PIL import Image

from support.botapi import Chat, Shown
from support.botapi.rooms import Said

WIDTH = 480
"""Pixels of the page."""

_LONGEST_SIDE = 260
_STYLE = """
* { box-sizing: border-box; margin: 0 }
body { width: 480px; font: 15px/1.4 "DejaVu Sans", sans-serif; color: #16191d; background: #dfe7ee }
header { background: #fff; padding: 10px 16px; border-bottom: 1px solid #c8d1da; font-weight: bold }
header small { font-weight: normal; color: #566070; margin-left: 6px }
main { display: flex; flex-direction: column; gap: 8px; padding: 14px }
article { max-width: 412px; align-self: flex-start }
article.own { align-self: flex-end }
.bubble { background: #fff; border-radius: 12px; padding: 8px 12px; overflow-wrap: anywhere; white-space: pre-line }
.own .bubble { background: #d9f2cf }
.bubble:has(img) { padding: 5px }
img { display: block; border-radius: 9px }
.file { display: flex; gap: 10px; align-items: center; margin-bottom: 6px }
.file i { background: #b3261e; color: #fff; border-radius: 8px; padding: 11px 8px; font: bold 12px/1 sans-serif }
.file small { display: block; color: #566070 }
.keys { display: flex; gap: 4px; margin-top: 4px }
.keys b { flex: 1; background: #8da2b5; color: #fff; border-radius: 8px; padding: 7px 4px; text-align: center;
          font-weight: 600; font-size: 14px }
.keys b.pressed { background: #1f4e79 }
"""


def page(chat: Chat, messages: Sequence[Said | Shown], *, pressed: str | None = None) -> str:
    """Messages of a chat as HTML; `pressed` is the label of the button that is shown as pressed."""
    bubbles = "".join(
        _said(chat, message) if isinstance(message, Said) else _shown(message, pressed) for message in messages
    )
    heading = f"<header>{escape(chat.bot.username)}<small>bot</small></header>"
    return (
        f'<!doctype html><html lang="es"><meta charset="utf-8"><style>{_STYLE}</style>{heading}<main>{bubbles}</main>'
    )


def _said(chat: Chat, message: Said) -> str:
    photos = message.raw.get("photo", [])
    words = _picture(chat.bot.files[photos[-1]["file_id"]].content) if photos else escape(message.words)
    return f'<article class="own"><div class="bubble">{words}</div></article>'


def _picture(content: bytes) -> str:
    with Image.open(io.BytesIO(content)) as image:
        image.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
        stream = io.BytesIO()
        image.save(stream, "PNG")
        url = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
        return f'<img src="{url}" width="{image.width}" height="{image.height}" alt="">'


def _shown(message: Shown, pressed: str | None) -> str:
    return f'<article><div class="bubble">{_document(message)}{_text(message)}</div>{_keys(message, pressed)}</article>'


def _document(message: Shown) -> str:
    if message.document is None:
        return ""
    kind = message.document.name.rpartition(".")[2].upper()
    size = f"{len(message.document.content) / 1024:.0f} KB"
    return f'<div class="file"><i>{kind}</i><div>{escape(message.document.name)}<small>{size}</small></div></div>'


def _text(message: Shown) -> str:
    text = escape(message.text)
    for passage in message.strong:
        strong = escape(passage)
        text = text.replace(strong, f"<strong>{strong}</strong>", 1)
    return text


def _keys(message: Shown, pressed: str | None) -> str:
    rows = (
        "".join(f"<b{' class=pressed' if label == pressed else ''}>{escape(label)}</b>" for label in row)
        for row in message.labels
    )
    return "".join(f'<div class="keys">{row}</div>' for row in rows)
