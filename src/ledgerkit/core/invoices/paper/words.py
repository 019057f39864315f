"""The words printed on documents, per language."""

from collections.abc import Mapping
from dataclasses import dataclass

from ledgerkit.core.invoices.paper.model import Language, Paper, Status, Watermark
from ledgerkit.providers.api import DocumentKind, TaxCategory


@dataclass(frozen=True, kw_only=True)
class Words:
    """Every fixed text of one language; `locale` is the CLDR locale of its numbers and dates."""

    locale: str
    kinds: Mapping[DocumentKind, str]
    watermarks: Mapping[Watermark, str]
    statuses: Mapping[Status, str]
    categories: Mapping[TaxCategory, str]
    payment_methods: Mapping[str, str]
    labels: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        """A label by its name, so that a template reads `w.due_date`; an unknown one is our mistake."""
        try:
            return self.labels[name]
        except KeyError:
            raise AttributeError(name) from None

    def tax(self, paper: Paper) -> str:
        return paper.tax_name or self.labels["vat"]

    def price(self, paper: Paper) -> str:
        return self._as_priced(self.labels["unit_price"], paper)

    def line_amount(self, paper: Paper) -> str:
        return self._as_priced(self.labels["amount"], paper)

    def _as_priced(self, label: str, paper: Paper) -> str:
        """The label, saying so where the prices contain the tax (in both languages `incl.`)."""
        return f"{label} ({self.tax(paper)} incl.)" if paper.prices_include_tax else label

    def payment_method(self, method: str) -> str:
        """The language's words for a usual method; any other text as it was written."""
        return self.payment_methods.get(method, method)


_SPANISH = Words(
    locale="es_ES",
    kinds={
        DocumentKind.INVOICE: "Factura",
        DocumentKind.SIMPLIFIED: "Factura simplificada",
        DocumentKind.CREDIT_NOTE: "Factura rectificativa",
    },
    watermarks={
        Watermark.DRAFT: "BORRADOR",
        Watermark.SANDBOX: "ENTORNO DE PRUEBAS · SIN VALIDEZ FISCAL",
        Watermark.TEST: "ENTORNO DE PRUEBAS · SIN VALIDEZ FISCAL",
        Watermark.VOID: "ANULADA",
    },
    statuses={
        Status.DRAFT: "Borrador",
        Status.SENT: "Pendiente de pago",
        Status.PAID: "Pagada",
        Status.OVERDUE: "Vencida",
        Status.VOID: "Anulada",
    },
    categories={
        TaxCategory.EXEMPT: "Exenta",
        TaxCategory.NOT_SUBJECT: "No sujeta",
        TaxCategory.REVERSE_CHARGE: "Inversión del sujeto pasivo",
        TaxCategory.EXPORT: "Exportación, exenta",
        TaxCategory.INTRA_EU_GOODS: "Entrega intracomunitaria, exenta",
        TaxCategory.INTRA_EU_SERVICES: "Servicio intracomunitario, no sujeto",
    },
    payment_methods={
        "transfer": "Transferencia bancaria",
        "card": "Tarjeta",
        "cash": "Efectivo",
        "direct_debit": "Domiciliación bancaria",
        "check": "Cheque",
        "bizum": "Bizum",
        "paypal": "PayPal",
        "other": "Otra",
    },
    labels={
        "amount": "Importe",
        "base": "Base",
        "billed_to": "Cliente",
        "buyer_reference": "Ref. del cliente",
        "corrects": "Rectifica a",
        "description": "Descripción",
        "discount": "Dto.",
        "download": "Descargar PDF",
        "due_date": "Vencimiento",
        "gross_total": "Total factura",
        "iban": "IBAN",
        "issue_date": "Fecha de expedición",
        "legends": "Menciones",
        "not_found": "Esta factura no está disponible",
        "not_found_help": "El enlace no existe o ha sido retirado. Pida uno nuevo a quien se lo envió.",
        "notes": "Notas",
        "of": "de",
        "open_amount": "Pendiente de pago",
        "operation_date": "Fecha de operación",
        "page": "Página",
        "paid": "Pagado",
        "payable": "Total a pagar",
        "payment": "Forma de pago",
        "payment_data": "Datos de pago",
        "purchase_order": "Pedido",
        "quantity": "Cantidad",
        "rate": "Tipo",
        "reason": "Motivo",
        "retention": "Retención IRPF",
        "status": "Estado",
        "subtotal": "Base imponible",
        "surcharge": "Recargo de equivalencia",
        "surcharge_short": "Recargo",
        "tax_amount": "Cuota",
        "tax_breakdown": "Desglose de impuestos",
        "tax_id": "NIF",
        "terms": "Condiciones",
        "unit_price": "Precio",
        "vat": "IVA",
    },
)

_ENGLISH = Words(
    locale="en_GB",
    kinds={
        DocumentKind.INVOICE: "Invoice",
        DocumentKind.SIMPLIFIED: "Simplified invoice",
        DocumentKind.CREDIT_NOTE: "Credit note",
    },
    watermarks={
        Watermark.DRAFT: "DRAFT",
        Watermark.SANDBOX: "TEST ENVIRONMENT · NOT VALID FOR TAX",
        Watermark.TEST: "TEST ENVIRONMENT · NOT VALID FOR TAX",
        Watermark.VOID: "VOID",
    },
    statuses={
        Status.DRAFT: "Draft",
        Status.SENT: "Awaiting payment",
        Status.PAID: "Paid",
        Status.OVERDUE: "Overdue",
        Status.VOID: "Void",
    },
    categories={
        TaxCategory.EXEMPT: "Exempt",
        TaxCategory.NOT_SUBJECT: "Outside the scope of tax",
        TaxCategory.REVERSE_CHARGE: "Reverse charge",
        TaxCategory.EXPORT: "Export, exempt",
        TaxCategory.INTRA_EU_GOODS: "Intra-EU supply of goods, exempt",
        TaxCategory.INTRA_EU_SERVICES: "Intra-EU supply of services",
    },
    payment_methods={
        "transfer": "Bank transfer",
        "card": "Card",
        "cash": "Cash",
        "direct_debit": "Direct debit",
        "check": "Cheque",
        "bizum": "Bizum",
        "paypal": "PayPal",
        "other": "Other",
    },
    labels={
        "amount": "Amount",
        "base": "Base",
        "billed_to": "Billed to",
        "buyer_reference": "Your reference",
        "corrects": "Corrects",
        "description": "Description",
        "discount": "Disc.",
        "download": "Download PDF",
        "due_date": "Due date",
        "gross_total": "Invoice total",
        "iban": "IBAN",
        "issue_date": "Issue date",
        "legends": "Legal statements",
        "not_found": "This invoice is not available",
        "not_found_help": "The link does not exist or has been withdrawn. Ask its sender for a new one.",
        "notes": "Notes",
        "of": "of",
        "open_amount": "Amount outstanding",
        "operation_date": "Date of supply",
        "page": "Page",
        "paid": "Paid",
        "payable": "Amount payable",
        "payment": "Payment method",
        "payment_data": "Payment details",
        "purchase_order": "Purchase order",
        "quantity": "Quantity",
        "rate": "Rate",
        "reason": "Reason",
        "retention": "Income tax withheld",
        "status": "Status",
        "subtotal": "Taxable base",
        "surcharge": "Equivalence surcharge",
        "surcharge_short": "Surcharge",
        "tax_amount": "Tax",
        "tax_breakdown": "Tax breakdown",
        "tax_id": "Tax ID",
        "terms": "Terms",
        "unit_price": "Price",
        "vat": "VAT",
    },
)

WORDS: Mapping[Language, Words] = {"es": _SPANISH, "en": _ENGLISH}
