"""Pictures of documents, drawn for a test; what stands on them matters to readers of text only."""

from base64 import b64encode
from io import BytesIO

from PIL import Image, ImageDraw


def picture(text: str = "TICKET", *, kind: str = "PNG", size: tuple[int, int] = (320, 480)) -> bytes:
    """A page with `text` on it, as a file of this kind."""
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).multiline_text((16, 16), text, fill="black")
    content = BytesIO()
    image.save(content, kind)
    return content.getvalue()


def png(text: str = "TICKET") -> bytes:
    return picture(text)


def data_url(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"
