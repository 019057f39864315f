"""Specimens: one image with its truth for each seed."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from random import Random

from PIL import Image

from support.receipts import held_out, invoices, tickets
from support.receipts.degradations import degraded, harshly_degraded
from support.receipts.paper import CONDENSED, INTER, MONO, SANS, SERIF, SERIF_CONDENSED, Paper, Typeface
from support.receipts.truth import Truth, Writer

Layout = Callable[[Paper, Writer], Truth]


class Condition(StrEnum):
    """State of the image: a scan without faults, one bad trait of a photograph, or three of them together."""

    PLAIN = "plain"
    DEGRADED = "degraded"
    HARSH = "harsh"


class Split(StrEnum):
    TUNED = "tuned"
    HELD_OUT = "held-out"


LAYOUTS: dict[Split, tuple[Layout, ...]] = {
    Split.TUNED: (
        *(tickets.bar, tickets.petrol, tickets.supermarket, tickets.restaurant),
        *(invoices.professional, invoices.utility, invoices.goods),
    ),
    Split.HELD_OUT: (
        *(held_out.pharmacy, held_out.taxi, held_out.parking, held_out.hardware, held_out.hotel, held_out.wholesale),
    ),
}
TYPEFACES: dict[Split, tuple[Typeface, ...]] = {
    Split.TUNED: (INTER, SANS, MONO),
    Split.HELD_OUT: (INTER, SERIF, CONDENSED, SERIF_CONDENSED),
}
WIDE = {invoices.professional, invoices.utility, invoices.goods, held_out.hotel, held_out.wholesale}


@dataclass(frozen=True)
class Specimen:
    """Image of a document and its truth."""

    name: str
    image: Image.Image
    truth: Truth

    def png(self) -> bytes:
        buffer = BytesIO()
        self.image.save(buffer, "PNG", compress_level=1)
        return buffer.getvalue()


def specimen(seed: int, split: Split = Split.TUNED, condition: Condition = Condition.DEGRADED) -> Specimen:
    """Return the document of a seed; equal arguments give equal pixels.

    Fonts that this machine does not have are left out; the one that ledgerkit ships is always there.
    """
    dice = Random(f"{split}-{seed}")
    layout = LAYOUTS[split][seed % len(LAYOUTS[split])]
    typeface = dice.choice([face for face in TYPEFACES[split] if face.present])
    paper = Paper(wide=layout in WIDE)
    truth = layout(paper, Writer.drawn(dice))
    image = paper.drawn(typeface, dice.randint(24, 28) if paper.wide else dice.randint(26, 34))
    if condition is Condition.DEGRADED:
        image = degraded(image, dice)
    elif condition is Condition.HARSH:
        image = harshly_degraded(image, dice)
    return Specimen(f"{split}-{seed}-{layout.__name__}", image, truth)
