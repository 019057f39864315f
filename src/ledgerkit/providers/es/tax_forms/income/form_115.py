"""Form 115: income tax withheld from landlords of urban property.

Sources: RD 439/2007, arts. 100 and 108; record design of 2015.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import Box, RetentionKind
from ledgerkit.providers.es.tax_forms.form_texts import BoxTexts, by_key, filed_only_if, form_name
from ledgerkit.providers.es.tax_forms.income.withheld_sums import WithholdingForm

LANDLORDS, BASE, WITHHELD, EARLIER, RESULT = "01", "02", "03", "04", "05"

FORM_115 = "115"
_FORM = BoxTexts(FORM_115)
BOXES: Mapping[str, Box] = by_key((_FORM.box(LANDLORDS, decimals=0), *_FORM.listed("02s 03s 04 05-")))


class Form115(WithholdingForm):
    """Declaration of what was withheld of rents."""

    code = FORM_115
    name = form_name(FORM_115)
    reads = (FORM_115,)
    only_if = filed_only_if(FORM_115)
    official_boxes = BOXES
    kinds = frozenset({RetentionKind.RENT})
    boxes_of_kind = MappingProxyType({RetentionKind.RENT: (LANDLORDS, BASE, WITHHELD)})
    yearly = "180"
    total_box, earlier_box, result_box = WITHHELD, EARLIER, RESULT
