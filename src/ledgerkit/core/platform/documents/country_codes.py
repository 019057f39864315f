"""Codes that a country defines, as a refusal lists them."""

from collections.abc import Mapping

from ledgerkit.texts import Joined, Text, text
from ledgerkit.texts.common import CommonMsg


def explained(codes: Mapping[str, str]) -> Text:
    """List codes with what each means, in words or by a message id; `none` where there are none."""
    if not codes:
        return text(CommonMsg.NONE)
    return Joined([Joined((code, meaning), ": ") for code, meaning in codes.items()], "; ")
