"""Files of the Spanish tax forms, byte for byte on the official designs in force, written and read."""

from ledgerkit.providers.es.tax_forms.layouts.completion import path
from ledgerkit.providers.es.tax_forms.layouts.design import Design, Field, Segment, Value, Values
from ledgerkit.providers.es.tax_forms.layouts.designs import UnknownDesignError, all_designs, design_for
from ledgerkit.providers.es.tax_forms.layouts.periods import official_period
from ledgerkit.providers.es.tax_forms.layouts.reading import FileContent, read
from ledgerkit.providers.es.tax_forms.layouts.sepa import sepa_mark
from ledgerkit.providers.es.tax_forms.layouts.writing import RECORD, problems, render

__all__ = [
    "RECORD",
    "Design",
    "Field",
    "FileContent",
    "Segment",
    "UnknownDesignError",
    "Value",
    "Values",
    "all_designs",
    "design_for",
    "official_period",
    "path",
    "problems",
    "read",
    "render",
    "sepa_mark",
]
