"""All tables together: for migrations and for the tests that compare them with the database."""

from ledgerkit.core import idempotency, tally
from ledgerkit.core.activity import models as activity
from ledgerkit.core.ai import models as ai
from ledgerkit.core.clients import models as clients
from ledgerkit.core.db import metadata
from ledgerkit.core.einvoice import models as einvoice
from ledgerkit.core.identity import models as identity
from ledgerkit.core.invoices import models as invoices
from ledgerkit.core.jobs import models as jobs

MODELS = (activity, ai, clients, einvoice, idempotency, identity, invoices, jobs, tally)

__all__ = ["MODELS", "metadata"]
