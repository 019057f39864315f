"""Fiscal QR as a picture with its own size and white margin, which no stylesheet can change."""

import base64
from decimal import Decimal

import segno

from ledgerkit.core.sales.invoices.pdf.model import Qr


def qr_data_url(qr: Qr) -> str:
    """Return an SVG in a `data:` URL: the symbol `size_mm` wide, `margin_mm` of white on every side.

    The error level is exactly the requested one, because the authority fixes it (ISO/IEC 18004, level M).
    """
    matrix = segno.make_qr(qr.url, error=qr.error_level, boost_error=False).matrix
    svg = _svg([[bool(module) for module in row] for row in matrix], qr.size_mm, qr.margin_mm)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _svg(matrix: list[list[bool]], size_mm: int, margin_mm: int) -> str:
    modules = len(matrix)
    margin = (Decimal(margin_mm) * modules / size_mm).quantize(Decimal("0.0001"))
    side, full = size_mm + 2 * margin_mm, modules + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}mm" height="{side}mm" '
        f'viewBox="{-margin} {-margin} {full} {full}" shape-rendering="crispEdges">'
        f'<rect x="{-margin}" y="{-margin}" width="{full}" height="{full}" fill="#fff"/>'
        f'<path fill="#000" d="{_path(matrix)}"/></svg>'
    )


def _path(matrix: list[list[bool]]) -> str:
    """Return the SVG path: one rectangle per horizontal run of dark modules."""
    return "".join(f"M{x} {y}h{width}v1h-{width}z" for y, row in enumerate(matrix) for x, width in _runs(row))


def _runs(row: list[bool]) -> list[tuple[int, int]]:
    starts = [x for x, dark in enumerate(row) if dark and not (x and row[x - 1])]
    return [(x, next((w for w, dark in enumerate(row[x:]) if not dark), len(row) - x)) for x in starts]
