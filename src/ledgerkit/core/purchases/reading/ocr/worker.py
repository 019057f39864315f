"""Process that recognises characters: a page as PNG in, its lines of text with their places out, as JSON.

Run as a script by its path, never imported by the server: it is the only place that loads RapidOCR and ONNX Runtime,
whose models are in their wheel. An answer is a list of `[text, left, top, right, bottom, confidence in thousandths]`.
"""

import json
import os
from io import BytesIO

import cv2
import numpy as np
from PIL import Image
from rapidocr import RapidOCR
from rapidocr.utils.output import RapidOCROutput

from ledgerkit.core.platform.confined.child import FAILED, Answer, Limits, Work, serve
from ledgerkit.core.purchases.reading.ocr.geometry import levelled

THREADS = max(1, min(2, os.cpu_count() or 1))
"""Threads of the recognition: a document may not take all the processors of a server."""

LINES = b"T"
MAX_SIDE = 1600
"""Pixels of the longer side at most: memory grows with it, and receipts are read no better above it."""

LIMITS = Limits(memory=3 * 1024**3, writes=False)
"""Address space, of which a full page takes 1.9 GiB; resident it takes 0.9 GiB [measured]."""

PARAMETERS = {
    "Global.log_level": "critical",
    "Global.max_side_len": MAX_SIDE,
    "Global.text_score": 0.4,
    "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


def prepared() -> Work:
    """Load the models, and recognise once so that everything is in memory before the first document."""
    cv2.setNumThreads(1)
    engine = RapidOCR(params=PARAMETERS)
    engine(np.full((64, 256, 3), 255, np.uint8))

    def answer(request: bytes) -> Answer:
        try:
            return LINES, json.dumps(recognised(engine, request), ensure_ascii=False).encode()
        except Exception as error:  # noqa: BLE001 - any failure is one of the page; the process lives on
            return FAILED, type(error).__name__.encode()

    return answer


def recognised(engine: RapidOCR, page: bytes) -> list[list[object]]:
    """Return the pieces of text of a page."""
    with Image.open(BytesIO(page), formats=["PNG"]) as picture:
        picture.thumbnail((MAX_SIDE, MAX_SIDE))
        pixels = np.asarray(picture.convert("RGB"))[:, :, ::-1]
    result = engine(np.ascontiguousarray(pixels))
    if not isinstance(result, RapidOCROutput) or result.boxes is None or result.txts is None or result.scores is None:
        return []
    boxes = levelled([[(corner[0], corner[1]) for corner in piece] for piece in result.boxes.tolist()])
    thousandths = [round(score * 1000) for score in result.scores]
    return [[text, *box, score] for text, box, score in zip(result.txts, boxes, thousandths, strict=True)]


if __name__ == "__main__":
    serve(prepared, LIMITS)
