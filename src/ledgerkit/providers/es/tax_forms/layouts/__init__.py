"""Files of the Spanish tax forms, byte for byte on the official designs in force, written and read."""

from ledgerkit.providers.es.tax_forms.layouts.completion import path
from ledgerkit.providers.es.tax_forms.layouts.design import Design, Field, Segment, Value, Values, official_period
from ledgerkit.providers.es.tax_forms.layouts.designs import (
    UnknownDesignError,
    all_designs,
    design_for,
    is_known,
    nearest_design,
    nearest_fields,
)
from ledgerkit.providers.es.tax_forms.layouts.reading import FileContent, read
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
    "is_known",
    "nearest_design",
    "nearest_fields",
    "official_period",
    "path",
    "problems",
    "read",
    "render",
]
