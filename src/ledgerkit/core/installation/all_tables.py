"""All tables together: for migrations and for the tests that compare them with the database."""

from ledgerkit.core.activity import models as activity
from ledgerkit.core.ai import models as ai
from ledgerkit.core.business_context import models as business_context
from ledgerkit.core.cash_register import models as cash_register
from ledgerkit.core.catalog import models as catalog
from ledgerkit.core.clients import models as clients
from ledgerkit.core.credentials import models as credentials
from ledgerkit.core.database.tables import metadata
from ledgerkit.core.einvoice import models as fiscal_chain
from ledgerkit.core.einvoice.certificates import models as certificates
from ledgerkit.core.einvoice.event_log import models as event_log
from ledgerkit.core.einvoice.outbox import models as outbox
from ledgerkit.core.einvoice.transmission import models as transmission
from ledgerkit.core.expenses import models as expenses
from ledgerkit.core.identity import models as identity
from ledgerkit.core.invoices import models as invoices
from ledgerkit.core.jobs import models as jobs
from ledgerkit.core.mail import models as mail
from ledgerkit.core.personal_data import models as personal_data
from ledgerkit.core.records import counters, search
from ledgerkit.core.request import idempotency
from ledgerkit.core.supplier_invoices import models as supplier_invoices
from ledgerkit.core.tasks import models as tasks
from ledgerkit.core.vendors import models as vendors

MODELS = (
    activity,
    ai,
    business_context,
    cash_register,
    catalog,
    certificates,
    clients,
    credentials,
    event_log,
    expenses,
    fiscal_chain,
    idempotency,
    identity,
    invoices,
    jobs,
    mail,
    outbox,
    personal_data,
    search,
    supplier_invoices,
    counters,
    tasks,
    transmission,
    vendors,
)

__all__ = ["MODELS", "metadata"]
