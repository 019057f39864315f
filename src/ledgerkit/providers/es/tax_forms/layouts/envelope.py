"""Envelope around the pages of a form: opening tag, auxiliary data of the program, closing tag.

Source: AEAT, record designs, page 0 (the same in models 111, 115, 130, 303 and 390).
"""

from functools import lru_cache

from ledgerkit.providers.es.tax_forms.layouts.design import Segment
from ledgerkit.providers.es.tax_forms.layouts.notation import parsed_fields

LINE_BREAK = "\r\n"


@lru_cache
def envelope_start(form: str) -> Segment:
    """Return the fields before the pages; program version and the developer's tax id may stay blank."""
    description = f"""
        1    An6 "<T{form}0"
        7    An4,An2 year period
        13   An10 "0000><AUX>"
        23   An70 -
        93   An4 program_version
        97   An4 -
        101  An9 developer_tax_id
        110  An213 -
        323  An6 "</AUX>"
    """
    return Segment(name="start", fields=parsed_fields(description))


@lru_cache
def envelope_end(form: str) -> Segment:
    """Return the fields behind the pages."""
    description = f"""
        1    An7 "</T{form}0"
        8    An4,An2 year period
        14   An5 "0000>"
    """
    return Segment(name="end", fields=parsed_fields(description))
