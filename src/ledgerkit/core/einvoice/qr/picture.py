"""QR of a record as a picture: the same modules that segno draws, in a fraction of its time.

Of eight masks, the one with the lowest penalty must be taken, and segno spends nearly all its time on trying them
module by module. Here a symbol is one integer, and each rule is a few operations on it. Source: ISO/IEC 18004:2015, 7.8
(masks and their evaluation); PNG, third edition (W3C), 11.2.
"""

import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

import segno
from segno import consts

SCALE, BORDER = 4, 4
"""Pixels of a module's side (a module's row of pixels is one hexadecimal digit), and modules of the quiet zone."""

_DATA = {consts.TYPE_DATA_DARK, consts.TYPE_DATA_LIGHT}
_FORMAT = {consts.TYPE_FORMAT_DARK, consts.TYPE_FORMAT_LIGHT, consts.TYPE_DARKMODULE}
_VERSION = {consts.TYPE_VERSION_DARK, consts.TYPE_VERSION_LIGHT}
_FINDER = "1011101"
_MASKS: tuple[Callable[[int, int], bool], ...] = (
    lambda i, j: (i + j) % 2 == 0,
    lambda i, _: i % 2 == 0,
    lambda _, j: j % 3 == 0,
    lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0,
    lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
)


def data_url(text: str, level: str) -> str:
    """Return a PNG, as a `data:` URL, of the QR symbol for `text` at the error correction `level` (L, M, Q, H)."""
    return "data:image/png;base64," + b64encode(_png(rows(text, level))).decode()


def rows(text: str, level: str) -> list[str]:
    """Return the symbol's modules, row by row: 1 is dark."""
    code = segno.make_qr(text, error=level, boost_error=False, mask=0)
    form = _form(int(code.version), code.error)
    plain = _bits(code.matrix)
    scores = [_penalty(plain & form.evaluated ^ change, form) for change in form.changes]
    best = scores.index(min(scores))
    return _lines((plain ^ form.changes[best]) & ~form.format | form.formats[best], form.size)


# ---------------------------------------------------------------- the mask


@dataclass(frozen=True)
class _Form:
    """Regions of a symbol of one version, as bits: row by row from the highest bit, with one bit between the rows.

    `evaluated`: modules that count before the mask is chosen; the others are light then. `format`: modules that name
    the mask; `formats`: their values, by mask. `changes`: by mask, the modules in which it differs from the first.
    `pairs`: modules with a right neighbour; `upper`: modules with one below.
    """

    size: int
    evaluated: int
    format: int
    formats: tuple[int, ...]
    changes: tuple[int, ...]
    pairs: int
    upper: int


@lru_cache(maxsize=32)
def _form(version: int, level: str) -> _Form:
    codes = [segno.make_qr("0", version=version, error=level, boost_error=False, mask=k) for k in range(len(_MASKS))]
    kinds = [list(row) for row in codes[0].matrix_iter(border=0, verbose=True)]
    size = len(kinds)
    kinds[8][size - 9] = consts.TYPE_DATA_LIGHT  # which segno takes for the format's ninth module: it has eight there
    indexes = range(size)
    data = _bits([[kind in _DATA for kind in row] for row in kinds])
    masks = [_bits([[mask(i, j) for j in indexes] for i in indexes]) & data for mask in _MASKS]
    format_modules = _bits([[kind in _FORMAT for kind in row] for row in kinds])
    return _Form(
        size=size,
        evaluated=_bits([[kind not in _FORMAT | _VERSION for kind in row] for row in kinds]),
        format=format_modules,
        formats=tuple(_bits(code.matrix) & format_modules for code in codes),
        changes=tuple(mask ^ masks[0] for mask in masks),
        pairs=_bits([[j < size - 1 for j in indexes] for _ in indexes]),
        upper=_bits([[i < size - 1 for _ in indexes] for i in indexes]),
    )


def _bits(matrix: Iterable[Iterable[int]]) -> int:
    return int("".join("".join("1" if module else "0" for module in row) + "0" for row in matrix), 2)


def _lines(modules: int, size: int) -> list[str]:
    stride = size + 1
    text = f"{modules:0{size * stride}b}"
    return [text[start : start + size] for start in range(0, size * stride, stride)]


def _penalty(modules: int, form: _Form) -> int:
    """Source: ISO/IEC 18004:2015, 7.8.3.1, table 11."""
    stride = form.size + 1
    same_right = ~(modules ^ modules << 1) & form.pairs
    same_below = ~(modules ^ modules << stride) & form.upper
    squares = same_right & same_right << stride & same_below
    lines = _lines(modules, form.size)
    finders = sum(map(_like_finders, lines)) + sum(
        _like_finders("".join(column)) for column in zip(*lines, strict=True)
    )
    imbalance = int(abs(modules.bit_count() / form.size**2 * 100 - 50) / 5)
    return _runs(same_right, 1) + _runs(same_below, stride) + 3 * squares.bit_count() + 40 * finders + 10 * imbalance


def _runs(alike: int, step: int) -> int:
    """Return the penalty for five or more modules of one colour in a line.

    `alike` has the modules that are equal to the next one, `step` bits away.
    """
    five = alike & alike << step & alike << 2 * step & alike << 3 * step
    return five.bit_count() + 2 * (five & ~(five >> step)).bit_count()


def _like_finders(line: str) -> int:
    """Count patterns like a finder's, with four light modules or the edge before or after them."""
    count, place = 0, line.find(_FINDER)
    while place >= 0:
        end = place + len(_FINDER)
        light = "1" not in line[max(place - 4, 0) : place] or "1" not in line[end : end + 4]
        count += light
        place = line.find(_FINDER, end if light else place + 4)
    return count


# ---------------------------------------------------------------- the picture


def _png(lines: list[str]) -> bytes:
    """Encode a PNG with one bit per pixel, so that a module is one hexadecimal digit of its row."""
    modules = len(lines) + 2 * BORDER
    side, quiet = "0" * BORDER, "0" * modules
    whole = [quiet] * BORDER + [side + line + side for line in lines] + [quiet] * BORDER
    drawn = [bytes.fromhex((line + "0" * (modules % 2)).translate(_PIXELS)) for line in whole]
    content = b"".join((b"\x00" + line) * SCALE for line in drawn)
    head = pack(">IIBBBBB", modules * SCALE, modules * SCALE, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(content)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


_PIXELS = str.maketrans("01", "f0")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))
