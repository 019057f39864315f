"""The ways in which a photograph is worse than a scan."""

from collections.abc import Callable
from random import Random

from PIL import Image, ImageChops, ImageEnhance, ImageFilter

DESK = (118, 104, 92)


def _blur(image: Image.Image, dice: Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(dice.uniform(0.7, 1.3)))


def _noise(image: Image.Image, dice: Random) -> Image.Image:
    strength = dice.randint(35, 60)
    seeded = Image.frombytes("L", image.size, dice.randbytes(image.width * image.height))
    grain = seeded.point(lambda value: value * strength // 255)
    return ImageChops.subtract(image, Image.merge("RGB", (grain, grain, grain)))


def _shade(image: Image.Image, dice: Random) -> Image.Image:
    gradient = Image.linear_gradient("L").rotate(dice.choice([0, 90, 180, 270])).resize(image.size)
    darkest = dice.randint(110, 160)
    shadow = gradient.point(lambda value: darkest + value * (255 - darkest) // 255)
    return ImageChops.multiply(image, Image.merge("RGB", (shadow, shadow, shadow)))


def _low_contrast(image: Image.Image, dice: Random) -> Image.Image:
    return ImageEnhance.Contrast(image).enhance(dice.uniform(0.3, 0.5))


def _rotated(image: Image.Image, dice: Random) -> Image.Image:
    angle = dice.choice([-1, 1]) * dice.uniform(1.5, 5)
    return image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=DESK)


def _perspective(image: Image.Image, dice: Random) -> Image.Image:
    width, height = image.size
    lean, fall = dice.uniform(0.02, 0.06) * width, dice.uniform(0.01, 0.03) * height
    corners = (-lean, -fall, -lean * dice.uniform(0, 0.5), height + fall, width + lean, height, width + lean / 2, 0)
    return image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=DESK)


def _halved(image: Image.Image, dice: Random) -> Image.Image:
    return image.resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)


def _photograph(image: Image.Image, dice: Random) -> Image.Image:
    for step in (_perspective, _shade, _blur, _noise):
        image = step(image, dice)
    return image


DEGRADATIONS: tuple[Callable[[Image.Image, Random], Image.Image], ...] = (
    *(_blur, _noise, _shade, _low_contrast, _rotated, _perspective, _halved, _photograph),
)


def degraded(image: Image.Image, dice: Random) -> Image.Image:
    """Return the image as one of the eight bad photographs of it."""
    return dice.choice(DEGRADATIONS)(image, dice)


def harshly_degraded(image: Image.Image, dice: Random) -> Image.Image:
    """Return the image with three bad traits at once, as of a crumpled hurry in bad light."""
    for step in dice.sample(DEGRADATIONS[:-1], 3):
        image = step(image, dice)
    return image
