"""Shapes of the tools beyond those they share with REST, and their JSON schemas."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, StringConstraints
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import EnumSchema, ModelSchema, WithDefaultSchema

from ledgerkit.core.api_types.fields import Remark, ShortText
from ledgerkit.core.api_types.paging import MAX_SIZE
from ledgerkit.core.api_types.wire import Wire
from ledgerkit.core.einvoice.schemas import CreditNoteInput
from ledgerkit.core.invoices.schemas import Invoice, InvoiceInput, Status
from ledgerkit.money import to_number

DEFAULT_PAGE_SIZE = 20

IdempotencyKey = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern="^[ -~]+$")]


class Nothing(Wire):
    """No arguments."""


class Keyed(Wire):
    """Arguments of a call that may be repeated without happening twice."""

    idempotency_key: Annotated[
        IdempotencyKey | None,
        Field(
            alias="idempotency_key",
            description="Any unique text, as a UUID; repeating the call with it within 24 hours creates nothing new",
        ),
    ] = None


class NewInvoice(Keyed, InvoiceInput):
    """A draft. Needs client or clientId (a simplified invoice needs neither) and at least one item."""

    def body(self) -> InvoiceInput:
        """Return the body for POST /api/invoices."""
        fields_set = self.model_fields_set - {"idempotency_key"}
        return InvoiceInput.model_construct(
            fields_set, **{name: getattr(self, name) for name in InvoiceInput.model_fields}
        )


class InvoiceQuery(Wire):
    status: Annotated[
        Status | None, Field(description="`sent` = issued and unpaid; `overdue` = past its due date (vencida)")
    ] = None
    search: Annotated[
        ShortText | None, Field(description="Text in number, client, NIF, items or notes; case and accents ignored")
    ] = None
    page: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1
    limit: Annotated[int, Field(ge=1, le=MAX_SIZE, description="Invoices a page")] = DEFAULT_PAGE_SIZE


class InvoiceId(Wire):
    id: Annotated[ShortText, Field(description="`id` of an invoice, as list_invoices gives it; not its number")]


class Emission(Wire):
    invoice_id: Annotated[ShortText, Field(description="`id` of an invoice, as list_invoices gives it; not its number")]
    correct: Annotated[
        bool,
        Field(description="Tell the authority anew what is wrong in the record only; an annulled invoice holds again"),
    ] = False


class Annulling(Wire):
    fiscal_id: Annotated[
        ShortText, Field(min_length=1, description="`einvoice.fiscalId` of the invoice, as get_invoice gives it")
    ]
    reason: Annotated[Remark, Field(description="Why it should never have been issued; stays in the house")]


class Crediting(Keyed, CreditNoteInput):
    """By default all that is left of the invoice is given back."""

    def body(self) -> CreditNoteInput:
        """Return the body for POST /api/einvoice/credit-note."""
        fields_set = self.model_fields_set - {"idempotency_key"}
        fields = {name: getattr(self, name) for name in CreditNoteInput.model_fields}
        return CreditNoteInput.model_construct(fields_set, **fields)


class InvoiceList(Wire):
    """One page, the newest first. `total` counts all pages; `nextPage` is null on the last."""

    items: list[Invoice]
    page: int
    total: int
    next_page: int | None


def published(shape: type[Wire], *, of_arguments: bool) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments (`of_arguments`) or of its answer."""
    return shape.model_json_schema(schema_generator=_Plain, mode="validation" if of_arguments else "serialization")


class _Plain(GenerateJsonSchema):
    """Without the titles that only repeat names, and closed: a field that a tool does not know is refused."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the generator's signature
        return False

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        json_schema = super().model_schema(schema)
        json_schema.pop("title", None)
        if self.mode == "validation":
            json_schema["additionalProperties"] = False
        return json_schema

    def enum_schema(self, schema: EnumSchema) -> JsonSchemaValue:
        json_schema = super().enum_schema(schema)
        json_schema.pop("title", None)
        return json_schema

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        """An optional field says so by its absence from `required`; `"default": null` would say it again."""
        json_schema = super().default_schema(schema)
        if json_schema.get("default", ...) is None:
            json_schema.pop("default")
        return json_schema

    def encode_default(self, dft: Any) -> Any:
        """Amounts are numbers, as defaults too."""
        return to_number(dft) if isinstance(dft, Decimal) else super().encode_default(dft)
