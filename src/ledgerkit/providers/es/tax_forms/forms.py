"""The tax forms of this version, in the order in which they are offered."""

from ledgerkit.providers.es.tax_forms.income import Form111, Form115, Form130
from ledgerkit.providers.es.tax_forms.lists import Form180, Form190, Form347, Form349
from ledgerkit.providers.es.tax_forms.vat.form_303 import Form303
from ledgerkit.providers.es.tax_forms.vat.form_390 import Form390

FORMS = (
    Form303(),
    Form390(),
    Form130(),
    Form111(),
    Form115(),
    Form180(),
    Form190(),
    Form347(),
    Form349(),
)
