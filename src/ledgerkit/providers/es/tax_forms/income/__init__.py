"""Forms of income tax: the instalment of a freelancer (130), and what was withheld from others (111, 115)."""

from ledgerkit.providers.es.tax_forms.income.form_111 import Form111
from ledgerkit.providers.es.tax_forms.income.form_115 import Form115
from ledgerkit.providers.es.tax_forms.income.form_130 import Form130

__all__ = ["Form111", "Form115", "Form130"]
