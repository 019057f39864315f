"""Periodic tax declarations of Spain: the profile that they ask for, and one form each, as pure computations."""

from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130
from ledgerkit.providers.es.tax_forms.lists.form_180 import Form180
from ledgerkit.providers.es.tax_forms.lists.form_190 import Form190
from ledgerkit.providers.es.tax_forms.lists.form_347 import Form347
from ledgerkit.providers.es.tax_forms.lists.form_349 import Form349
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390

FORMS = (Form303(), Form390(), Form130(), Form111(), Form115(), Form180(), Form190(), Form347(), Form349())
"""The forms of this version, in the order in which they are offered."""
