"""Declarations that are lists: of payees (190), landlords (180), third parties (347) and operators in the EU (349)."""

from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.providers.es.tax_forms.lists.form_347 import Form347
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349

__all__ = ["Form180", "Form190", "Form347", "Form349"]
