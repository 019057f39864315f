"""Rows of text laid out on an image: receipts as narrow strips, invoices as pages."""

from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SOURCES = Path(__file__).parents[3] / "src" / "ledgerkit"
SHIPPED = SOURCES / "core" / "sales" / "invoices" / "pdf" / "assets" / "fonts"
assert SHIPPED.is_dir()  # without our fonts the receipts would be others
DEJAVU = Path("/usr/share/fonts/truetype/dejavu")


@dataclass(frozen=True)
class Typeface:
    """Regular and bold files of a font."""

    regular: Path
    bold: Path
    width: float = 1.0

    @property
    def present(self) -> bool:
        return self.regular.is_file() and self.bold.is_file()


INTER = Typeface(SHIPPED / "Inter-Regular.otf", SHIPPED / "Inter-SemiBold.otf")
SANS = Typeface(DEJAVU / "DejaVuSans.ttf", DEJAVU / "DejaVuSans-Bold.ttf", 1.08)
MONO = Typeface(DEJAVU / "DejaVuSansMono.ttf", DEJAVU / "DejaVuSansMono-Bold.ttf", 1.12)
SERIF = Typeface(DEJAVU / "DejaVuSerif.ttf", DEJAVU / "DejaVuSerif-Bold.ttf", 1.1)
CONDENSED = Typeface(DEJAVU / "DejaVuSansCondensed.ttf", DEJAVU / "DejaVuSansCondensed-Bold.ttf")
SERIF_CONDENSED = Typeface(DEJAVU / "DejaVuSerifCondensed.ttf", DEJAVU / "DejaVuSerifCondensed-Bold.ttf")


@dataclass(frozen=True)
class Cell:
    """Text at a place of its row: `x` from 0 to 1, its anchor `l`, `m` or `r`."""

    text: str
    x: float = 0.0
    anchor: str = "l"
    bold: bool = False
    scale: float = 1.0


@dataclass
class Paper:
    """Rows of one document, from the top."""

    wide: bool = False
    rows: list[tuple[Cell, ...]] = field(default_factory=list)

    def row(self, *cells: Cell) -> None:
        self.rows.append(cells)

    def left(self, text: str, *, bold: bool = False, scale: float = 1.0) -> None:
        self.row(Cell(text, bold=bold, scale=scale))

    def centre(self, text: str, *, bold: bool = False, scale: float = 1.0) -> None:
        self.row(Cell(text, 0.5, "m", bold, scale))

    def pair(self, label: str, value: str, *, bold: bool = False, scale: float = 1.0, x: float = 0.0) -> None:
        self.row(Cell(label, x, "l", bold, scale), Cell(value, 1.0, "r", bold, scale))

    def gap(self) -> None:
        self.row()

    def rule(self) -> None:
        self.row(Cell("-" * (60 if self.wide else 34), 0.5, "m"))

    def drawn(self, typeface: Typeface, size: int) -> Image.Image:
        """Return the image, as wide as its kind of paper in letters of `size` pixels."""
        margin = round(size * 1.8)
        body = round(size * (46 if self.wide else 22) * typeface.width)
        heights = [round(size * 1.5 * max((cell.scale for cell in row), default=0.7)) for row in self.rows]
        image = Image.new("RGB", (body + 2 * margin, sum(heights) + 2 * margin), (252, 251, 248))
        pen = ImageDraw.Draw(image)
        top = margin
        for row, height in zip(self.rows, heights, strict=True):
            fitting = _fitting(row, typeface, size, body)
            for cell in row:
                place = margin + cell.x * body, top + height / 2
                pen.text(place, cell.text, (25, 25, 28), _font(typeface, cell, size * fitting), f"{cell.anchor}m")
            top += height
        return image


def _font(typeface: Typeface, cell: Cell, size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(typeface.bold if cell.bold else typeface.regular), round(size * cell.scale))


def _fitting(row: tuple[Cell, ...], typeface: Typeface, size: int, body: int) -> float:
    """Return the factor that makes a row fit between the margins without its cells meeting."""
    if not row:
        return 1.0
    lengths = [_font(typeface, cell, size).getlength(cell.text) for cell in row]
    available = body * (1.0 - (row[0].x if row[0].anchor == "l" else 0.0))
    return min(1.0, available / (sum(lengths) + size * (len(row) - 1)))
