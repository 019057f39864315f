"""Facts of a record's fields for a summary: each with its label, and with both values where the act changes it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ledgerkit.core.platform.request.acts import (
    Act,
    Changed,
    CountryName,
    Fact,
    Json,
    LanguageName,
    Money,
    Percent,
    Rehearsed,
    Several,
    Stored,
    Summary,
    Value,
    as_day,
    doubts,
    short,
)
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg, WordMsg
from ledgerkit.texts import MessageId, text

KINDS: Mapping[str, MessageId] = {
    "api_key": AskMsg.KIND_API_KEY,
    "approval": AskMsg.KIND_APPROVAL,
    "approval_policy": AskMsg.KIND_APPROVAL_POLICY,
    "cash_register": AskMsg.KIND_CASH_REGISTER,
    "catalog_item": AskMsg.KIND_CATALOG_ITEM,
    "client": AskMsg.KIND_CLIENT,
    "context": AskMsg.KIND_CONTEXT,
    "context_entry": AskMsg.KIND_CONTEXT_ENTRY,
    "expense": AskMsg.KIND_EXPENSE,
    "fiscal_certificate": AskMsg.KIND_CERTIFICATE,
    "fiscal_demand": AskMsg.KIND_DEMAND,
    "fiscal_installation": AskMsg.KIND_FISCAL_RECORDS,
    "invitation": AskMsg.KIND_INVITATION,
    "invoice": AskMsg.KIND_INVOICE,
    "member": AskMsg.KIND_MEMBER,
    "messaging_link": AskMsg.KIND_MESSAGING_LINK,
    "oauth_grant": AskMsg.KIND_GRANT,
    "supplier_invoice": AskMsg.KIND_BILL,
    "supplier_payment": AskMsg.KIND_SUPPLIER_PAYMENT,
    "task": AskMsg.KIND_TASK,
    "tax_declaration": AskMsg.KIND_TAX_DECLARATION,
    "tax_profile": AskMsg.KIND_TAX_PROFILE,
    "team": AskMsg.KIND_TEAM,
    "vendor": AskMsg.KIND_VENDOR,
}
"""Words for the kinds of records that the log tells of, also of those that can only stay."""

LABELS: Mapping[str, MessageId] = {
    "name": FieldMsg.NAME,
    "title": FieldMsg.TITLE,
    "company": FieldMsg.COMPANY,
    "taxId": FieldMsg.TAX_ID,
    "taxIdKind": FieldMsg.TAX_ID_KIND,
    "isCompany": FieldMsg.IS_COMPANY,
    "iban": FieldMsg.IBAN,
    "email": FieldMsg.EMAIL,
    "phone": FieldMsg.PHONE,
    "number": FieldMsg.NUMBER,
    "invoiceNumber": FieldMsg.INVOICE_NUMBER,
    "docType": FieldMsg.DOC_TYPE,
    "vendor": FieldMsg.VENDOR,
    "vendorTaxId": FieldMsg.VENDOR_TAX_ID,
    "vendorCountry": FieldMsg.VENDOR_COUNTRY,
    "description": FieldMsg.DESCRIPTION,
    "type": FieldMsg.TYPE,
    "amount": FieldMsg.AMOUNT,
    "openingAmount": FieldMsg.OPENING_AMOUNT,
    "unitPrice": FieldMsg.UNIT_PRICE,
    "cost": FieldMsg.COST,
    "subtotal": FieldMsg.SUBTOTAL,
    "taxRate": FieldMsg.TAX_RATE,
    "taxAmount": FieldMsg.TAX_AMOUNT,
    "retentionRate": FieldMsg.RETENTION_RATE,
    "retentionAmount": FieldMsg.RETENTION_AMOUNT,
    "total": FieldMsg.TOTAL,
    "currency": FieldMsg.CURRENCY,
    "exchangeRate": FieldMsg.EXCHANGE_RATE,
    "exchangeRateSource": FieldMsg.EXCHANGE_RATE_SOURCE,
    "date": FieldMsg.DATE,
    "issueDate": FieldMsg.ISSUE_DATE,
    "invoiceDate": FieldMsg.INVOICE_DATE,
    "dueDate": FieldMsg.DUE_DATE,
    "operationDate": FieldMsg.OPERATION_DATE,
    "receptionDate": FieldMsg.RECEPTION_DATE,
    "deductionDate": FieldMsg.DEDUCTION_DATE,
    "category": FieldMsg.CATEGORY,
    "status": FieldMsg.STATUS,
    "paymentMethod": FieldMsg.PAYMENT_METHOD,
    "paidAt": FieldMsg.PAID_AT,
    "deductible": FieldMsg.DEDUCTIBLE,
    "deductiblePercent": FieldMsg.DEDUCTIBLE_PERCENT,
    "incomeTaxPercent": FieldMsg.INCOME_TAX_PERCENT,
    "reverseCharge": FieldMsg.REVERSE_CHARGE,
    "intraEu": FieldMsg.INTRA_EU,
    "investmentGood": FieldMsg.INVESTMENT_GOOD,
    "usefulLifeYears": FieldMsg.USEFUL_LIFE_YEARS,
    "retentionKind": FieldMsg.RETENTION_KIND,
    "leasedProperty": FieldMsg.LEASED_PROPERTY,
    "importDua": FieldMsg.IMPORT_DUA,
    "regimeKey": FieldMsg.REGIME_KEY,
    "triangular": FieldMsg.TRIANGULAR,
    "receiptUrl": FieldMsg.RECEIPT_URL,
    "attachmentUrl": FieldMsg.ATTACHMENT_URL,
    "source": FieldMsg.SOURCE,
    "priority": FieldMsg.PRIORITY,
    "assignedTo": FieldMsg.ASSIGNED_TO,
    "clientId": FieldMsg.CLIENT_ID,
    "invoiceId": FieldMsg.INVOICE_ID,
    "vendorId": FieldMsg.VENDOR_ID,
    "rectifies": FieldMsg.RECTIFIES,
    "tags": FieldMsg.TAGS,
    "sku": FieldMsg.SKU,
    "barcode": FieldMsg.BARCODE,
    "unit": FieldMsg.UNIT,
    "stock": FieldMsg.STOCK,
    "lowStockThreshold": FieldMsg.LOW_STOCK_THRESHOLD,
    "variants": FieldMsg.VARIANTS,
    "isActive": FieldMsg.IS_ACTIVE,
    "address": FieldMsg.ADDRESS,
    "postalCode": FieldMsg.POSTAL_CODE,
    "city": FieldMsg.CITY,
    "province": FieldMsg.PROVINCE,
    "country": FieldMsg.COUNTRY,
    "contactName": FieldMsg.CONTACT_NAME,
    "firstName": FieldMsg.FIRST_NAME,
    "surnames": FieldMsg.SURNAMES,
    "language": FieldMsg.LANGUAGE,
    "accountingOffice": FieldMsg.ACCOUNTING_OFFICE,
    "managingBody": FieldMsg.MANAGING_BODY,
    "processingUnit": FieldMsg.PROCESSING_UNIT,
    "equivalenceSurcharge": FieldMsg.EQUIVALENCE_SURCHARGE,
    "defaultTaxRate": FieldMsg.DEFAULT_TAX_RATE,
    "defaultRetentionRate": FieldMsg.DEFAULT_RETENTION_RATE,
    "defaultCategory": FieldMsg.DEFAULT_CATEGORY,
    "paymentTermDays": FieldMsg.PAYMENT_TERM_DAYS,
    "regime": FieldMsg.REGIME,
    "regimeFrom": FieldMsg.REGIME_FROM,
    "einvoicing": FieldMsg.EINVOICING,
    "higherSimplifiedLimit": FieldMsg.HIGHER_SIMPLIFIED_LIMIT,
    "invoice": FieldMsg.INVOICE,
    "simplified": FieldMsg.SIMPLIFIED,
    "creditNote": FieldMsg.CREDIT_NOTE,
    "timezone": FieldMsg.TIMEZONE,
    "logo": FieldMsg.LOGO,
    "placeOfSupply": FieldMsg.PLACE_OF_SUPPLY,
    "purchaseOrder": FieldMsg.PURCHASE_ORDER,
    "buyerReference": FieldMsg.BUYER_REFERENCE,
    "operationDescription": FieldMsg.OPERATION_DESCRIPTION,
    "pricesIncludeTax": FieldMsg.PRICES_INCLUDE_TAX,
    "terms": FieldMsg.TERMS,
    "declarationType": FieldMsg.DECLARATION_TYPE,
    "notes": FieldMsg.NOTES,
    "content": FieldMsg.CONTENT,
    "summary": FieldMsg.SUMMARY,
    "person": FieldMsg.PERSON,
    "contact": FieldMsg.CONTACT,
    "territory": FieldMsg.TERRITORY,
    "activities": FieldMsg.ACTIVITIES,
    "estimation": FieldMsg.ESTIMATION,
    "lastYearNetIncome": FieldMsg.LAST_YEAR_NET_INCOME,
    "homeLoan": FieldMsg.HOME_LOAN,
    "prorrata": FieldMsg.PRORRATA,
    "provisionalPercent": FieldMsg.PROVISIONAL_PERCENT,
    "cashAccounting": FieldMsg.CASH_ACCOUNTING,
    "monthlyRefunds": FieldMsg.MONTHLY_REFUNDS,
    "filing": FieldMsg.FILING,
    "surchargeRegime": FieldMsg.SURCHARGE_REGIME,
    "incomeMostlyWithheld": FieldMsg.INCOME_MOSTLY_WITHHELD,
    "withholdingDate": FieldMsg.WITHHOLDING_DATE,
    "declaresWithheldSales": FieldMsg.DECLARES_WITHHELD_SALES,
    "bankAbroad": FieldMsg.BANK_ABROAD,
    "leasedProperties": FieldMsg.LEASED_PROPERTIES,
    "exemptFrom390": FieldMsg.EXEMPT_FROM390,
    "employees": FieldMsg.EMPLOYEES,
    "censusChanges": FieldMsg.CENSUS_CHANGES,
}
"""Label of each field by its name on the wire, in the order of a summary."""

WORDS: Mapping[str, MessageId] = {
    "pending": WordMsg.PENDING,
    "paid": WordMsg.PAID,
    "sent": WordMsg.SENT,
    "draft": WordMsg.DRAFT,
    "backlog": WordMsg.BACKLOG,
    "todo": WordMsg.TO_DO,
    "in_progress": WordMsg.IN_PROGRESS,
    "review": WordMsg.REVIEW,
    "done": WordMsg.DONE,
    "low": WordMsg.LOW,
    "medium": WordMsg.MEDIUM,
    "high": WordMsg.HIGH,
    "urgent": WordMsg.URGENT,
    "product": WordMsg.PRODUCT,
    "service": WordMsg.SERVICE,
    "invoice": WordMsg.INVOICE,
    "simplified": WordMsg.SIMPLIFIED,
    "credit_note": WordMsg.CREDIT_NOTE,
    "import": WordMsg.IMPORT,
    "no_invoice": WordMsg.NO_INVOICE,
    "none": WordMsg.NONE,
    "goods": WordMsg.GOODS,
    "services": WordMsg.SERVICES,
    "employment": WordMsg.EMPLOYMENT,
    "employment_in_kind": WordMsg.EMPLOYMENT_IN_KIND,
    "professional": WordMsg.PROFESSIONAL,
    "rent": WordMsg.RENT,
    "other": WordMsg.OTHER,
    "cash": WordMsg.CASH,
    "card": WordMsg.CARD,
    "transfer": WordMsg.TRANSFER,
    "bank_transfer": WordMsg.BANK_TRANSFER,
    "direct_debit": WordMsg.DIRECT_DEBIT,
    "on": WordMsg.ON,
    "off": WordMsg.OFF,
    "manual": WordMsg.MANUAL,
    "receipt_scan": WordMsg.RECEIPT_SCAN,
    "email": WordMsg.EMAIL,
    "messaging": WordMsg.MESSAGING,
    "expense": WordMsg.EXPENSE,
    "supplier_invoice": WordMsg.SUPPLIER_INVOICE,
    "supplier_payment": WordMsg.SUPPLIER_PAYMENT,
    "task": WordMsg.TASK,
    "natural_person": WordMsg.NATURAL_PERSON,
    "company": WordMsg.COMPANY,
    "estimation.simplified": WordMsg.ESTIMATION_SIMPLIFIED,
    "estimation.normal": WordMsg.ESTIMATION_NORMAL,
    "estimation.modules": WordMsg.ESTIMATION_MODULES,
    "general": WordMsg.GENERAL,
    "special": WordMsg.SPECIAL,
    "payment": WordMsg.PAYMENT,
    "document": WordMsg.DOCUMENT,
    "sale": WordMsg.SALE,
    "refund": WordMsg.REFUND,
    "cash_in": WordMsg.CASH_IN,
    "cash_out": WordMsg.CASH_OUT,
    "verifactu": WordMsg.VERIFACTU,
    "no_verifactu": WordMsg.NO_VERIFACTU,
    "quarterly": WordMsg.QUARTERLY,
    "monthly": WordMsg.MONTHLY,
}
"""Words for values of fields that have a fixed set of them."""

NOT_SHOWN = frozenset(
    {
        *("id", "version", "createdAt", "updatedAt", "createdBy", "updatedBy", "channel", "warnings", "position"),
        *("order", "key", "issueDateStated", "dueDateStated", "logo", "apiKey", "completedAt"),
    }
)
"""Fields that tell a person nothing, or that follow from others."""

_IDS = frozenset({"clientId", "invoiceId", "vendorId", "assignedTo", "rectifies", "receiptId"})
"""Fields with the id of another record, shown by the name that the act gives."""

_CHANGED_UNSEEN = sorted(_IDS | {"key", "logo", "order", "position"})
"""Fields that a summary does not show, or only by a name: where nothing else changes, it says that they do."""

_AMOUNTS = frozenset(
    {
        *("amount", "openingAmount", "unitPrice", "cost", "subtotal", "taxAmount", "retentionAmount", "total"),
        "lastYearNetIncome",
    }
)
_NAMED_BY_CODE: Mapping[str, Callable[[str], Value]] = {
    "country": CountryName,
    "vendorCountry": CountryName,
    "language": LanguageName,
}
_FILES = frozenset({"receiptUrl", "attachmentUrl", "logo"})
_CODED = frozenset(
    {
        *("status", "priority", "type", "docType", "intraEu", "retentionKind", "paymentMethod", "einvoicing", "source"),
        *("person", "estimation", "prorrata", "filing", "withholdingDate"),
    }
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(T.*)?")


def given(record: Json, sent: frozenset[str], currency: str, names: Mapping[str, str] | None = None) -> list[Fact]:
    """Return the fields of a new record that were sent. `names` are those of other records by their ids."""
    values = _flat(record, names or {})
    shown = _flat({name: record.get(name) for name in sent}, names or {})
    own_currency = str(record.get("currency") or currency)
    return [
        (label, _value(name, values[name], own_currency))
        for name, label in LABELS.items()
        if name in shown and values.get(name) is not None and values[name] not in ("", [], {})
    ]


def changes(before: Json, after: Json, currency: str, names: Mapping[str, str] | None = None) -> list[Fact]:
    """Return the fields that differ, each with both values, and how many others differ that have no label.

    `names` are those of other records by their ids.
    """
    old, new = _flat(before, names or {}), _flat(after, names or {})
    differing = [name for name in {**old, **new} if old.get(name) != new.get(name) and name not in NOT_SHOWN]
    before_currency, after_currency = (str(record.get("currency") or currency) for record in (before, after))
    facts: list[Fact] = [
        (label, _change(name, (old.get(name), before_currency), (new.get(name), after_currency)))
        for name, label in LABELS.items()
        if name in differing
    ]
    others = [name for name in differing if name not in LABELS]
    if not facts and not others:
        unnamed = [name for name in _CHANGED_UNSEEN if before.get(name) != after.get(name)]
        return [(AskMsg.OTHER_CHANGES, len(unnamed))] if unnamed else [(AskMsg.ATTENTION, AskMsg.NOTHING_CHANGES)]
    return [*facts, (AskMsg.OTHER_CHANGES, len(others) or None)]


def creation(kind: MessageId, afterwards: MessageId = AskMsg.AFTER_CREATION) -> Act:
    """Return the act of adding a record of this kind, which nobody is asked about."""

    async def summary(rehearsed: Rehearsed) -> Summary:
        facts = given(rehearsed.answer, rehearsed.sent - {"name", "title"}, rehearsed.currency)
        return Summary(text(AskMsg.ADD, kind=kind, name=name_of(rehearsed.answer)), facts, afterwards)

    return Act(summary=summary, risk=None, asked_if=None)


def change(kind: MessageId, before: Stored) -> Act:
    """Return the act of changing a record of this kind, which nobody is asked about."""

    async def summary(rehearsed: Rehearsed) -> Summary:
        facts = [*changes(rehearsed.before, rehearsed.answer, rehearsed.currency), *doubts(rehearsed.answer)]
        name = name_of(rehearsed.before or rehearsed.answer)
        return Summary(text(AskMsg.CHANGE, kind=kind, name=name), facts, AskMsg.AFTER_CHANGE)

    return Act(summary=summary, risk=None, asked_if=None, before=before)


def name_of(record: Json) -> str:
    """Return the name by which a person knows a record."""
    keys = ("number", "name", "title", "description", "invoiceNumber")
    return short(next((record[key] for key in keys if record.get(key)), ""))


def word_for(value: object) -> object:
    """Return the word for a value of a fixed set, or the value."""
    return WORDS.get(str(value), value)


def _flat(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a record and of the objects in it; ids only where there is a name for them."""
    fields: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            fields |= _flat(value, names) if name not in LABELS else {name: value}
        elif name in _IDS:
            fields |= {name: names[value]} if value in names else {}
        else:
            fields[name] = value
    return fields


def _change(name: str, before: tuple[object, str], after: tuple[object, str]) -> object:
    if name in _FILES and before[0] and after[0]:
        return Changed(AskMsg.A_FILE, AskMsg.OTHER_FILE)
    return Changed(_value(name, *before), _value(name, *after))


def _value(name: str, value: object, currency: str) -> object:
    """Return the value of a field in the form that a summary shows."""
    if value is None or isinstance(value, bool):
        return value
    if name in _AMOUNTS:
        return Money(value, currency)
    if name.endswith(("Rate", "Percent")) and name != "exchangeRate":
        return Percent(value)
    return _words(name, value) if isinstance(value, str) else _members(value)


def _words(name: str, value: str) -> object:
    if name in _NAMED_BY_CODE and value:
        return _NAMED_BY_CODE[name](value)
    if name in _FILES:
        return AskMsg.A_FILE if value else None
    if name in _CODED:
        return WORDS.get(f"{name}.{value}", word_for(value))
    return as_day(value) if _DAY.fullmatch(value) else value


def _members(value: object) -> object:
    """Return the names of the members of a list, or of an object's values; any other value as it is."""
    if not isinstance(value, Sequence | Mapping):
        return value
    entries = list(value.values()) if isinstance(value, Mapping) else value
    return Several([name_of(entry) or "…" if isinstance(entry, Mapping) else entry for entry in entries])
