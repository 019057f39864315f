"""`Dry-Run: true`: the answer that would be given, and nothing done."""

from contextlib import suppress
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator

from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.limits.throttle import Throttle
from ledgerkit.core.platform.request import dry_run
from ledgerkit.core.platform.request.previews import PREVIEW_MEDIA
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientInput
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices import queries as invoice_queries
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.problems import NotFound
from ledgerkit.texts import text
from support.api import invoice_body, kernel_of
from support.description import described
from support.periods import YEAR

DRY = {"Dry-Run": "true"}


async def rehearsed(api, method, path, body=None, **headers):
    answer = await api.request(method, path, body, **{**DRY, **headers})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == PREVIEW_MEDIA
    return answer.json()


async def test_a_creation_answers_what_would_be_answered_and_creates_nothing(ana):
    preview = await rehearsed(ana, "POST", "/api/invoices", invoice_body())

    assert (preview["dryRun"], preview["status"], preview["leftOut"]) == (True, 201, [])
    assert preview["answer"]["total"] == 1452
    assert [one["action"] for one in preview["writes"]] == ["created", "created"]
    assert await ana.get("/api/invoices") == []
    assert await ana.get("/api/clients") == []


async def test_paying_a_draft_shows_the_number_that_stays_free(ana):
    draft = await ana.invoice()

    preview = await rehearsed(ana, "PATCH", f"/api/invoices/{draft['id']}/pay")
    paid = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    assert preview["answer"]["number"] == paid["number"] == f"F{YEAR}-0001"
    assert {"issued", "paid"} <= {one["action"] for one in preview["writes"]}
    assert preview["leftOut"] == [text(DryRunMsg.WORK_AFTERWARDS).in_language("en")]


async def test_a_refusal_is_answered_as_it_would_be(ana):
    answer = await ana.request("POST", "/api/invoices", {}, **DRY)

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("value", ["yes", "1", "", "true, false"])
async def test_another_value_is_refused(ana, value):
    answer = await ana.request("POST", "/api/invoices", invoice_body(), **{"Dry-Run": value})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Dry-Run")
    assert await ana.get("/api/invoices") == []


async def test_false_is_as_ever(ana):
    answer = await ana.request("POST", "/api/invoices", invoice_body(), **{"Dry-Run": "False"})

    assert answer.status_code == 201
    assert len(await ana.get("/api/invoices")) == 1


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "/api/invoices", invoice_body()),
        ("GET", "/api/invoices", None),
        ("POST", "/auth/logout", None),
        ("POST", "/api/expenses/categorize", {"description": "Gasolina"}),
    ],
)
async def test_the_envelope_is_as_it_is_described(ana, method, path, sent):
    schema = {"$ref": "#/components/schemas/DryRun", "components": described()["components"]}

    preview = await rehearsed(ana, method, path, sent)

    assert [error.message for error in Draft202012Validator(schema).iter_errors(preview)] == []


async def test_a_step_that_costs_is_left_out_and_named_in_both_languages(ana):
    used = await ana.get("/api/ai/usage")

    english = await rehearsed(ana, "POST", "/api/expenses/categorize", {"description": "Gasolina"})
    spanish = await rehearsed(
        ana, "POST", "/api/expenses/categorize", {"description": "Gasolina"}, **{"Accept-Language": "es"}
    )

    assert english["answer"] is None
    assert english["leftOut"] == [text(DryRunMsg.AI_ACTION).in_language("en")]
    assert spanish["leftOut"] == [text(DryRunMsg.AI_ACTION).in_language("es")]
    assert await ana.get("/api/ai/usage") == used


async def test_a_dry_run_uses_no_idempotency_key_up_and_sees_one_that_is_used(ana):
    key = {"Idempotency-Key": "k-1"}

    await rehearsed(ana, "POST", "/api/invoices", invoice_body(notes="uno"), **key)
    real = await ana.request("POST", "/api/invoices", invoice_body(), **key)
    repeated = await rehearsed(ana, "POST", "/api/invoices", invoice_body(), **key)

    assert real.status_code == 201
    assert "Idempotent-Replayed" not in real.headers
    assert (repeated["answer"], repeated["writes"]) == (real.json(), [])


async def test_the_version_expected_is_compared_and_none_is_given_back(ana):
    draft = await ana.invoice()
    path, change = f"/api/invoices/{draft['id']}", {"notes": "dos"}

    answer = await ana.request("PUT", path, change, **DRY, **{"If-Match": '"1"'})
    refused = await ana.request("PUT", path, change, **DRY, **{"If-Match": '"7"'})

    assert (answer.status_code, refused.status_code) == (200, 412)
    assert "etag" not in answer.headers


async def test_a_page_that_a_dry_run_read_is_not_given_to_the_next_reader(ana):
    await ana.invoice()
    first = await ana.get("/api/invoices")

    async def then(ctx):
        await invoices.create(ctx, InvoiceInput.model_validate(invoice_body()))
        return (await invoice_queries.listing(ctx, PageRequest(), invoice_queries.InvoiceFilter())).total

    ctx = await accounts.system_context(kernel_of(ana.client), UUID(ana.team["id"]))
    preview = await dry_run.rehearse(ctx, then)

    assert preview.answer == 2
    assert await ana.get("/api/invoices") == first


async def test_attempts_at_a_password_count_in_a_dry_run(ana, kernel):
    kernel.services[Throttle] = Throttle(active=True)
    wrong = {"email": "ana@example.com", "password": "not the right one"}

    statuses = [(await ana.request("POST", "/auth/login", wrong, **DRY)).status_code for _ in range(11)]

    assert statuses == [401] * 10 + [429]


async def test_a_service_that_says_nothing_of_dry_runs_is_not_there(ana, kernel):
    class Postman:
        pass

    kernel.services[Postman] = Postman()
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))

    async def act(inner):
        return inner.kernel.service(Postman)

    with pytest.raises(AssertionError, match="Postman"):
        await dry_run.rehearse(ctx, act)


async def test_failed_steps_are_undone_and_those_after_them_go_on(ana, kernel):
    """As with transactions of their own: what one of them wrote before it failed is gone, the rest is there."""
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))

    async def act(inner):
        with suppress(NotFound):
            async with inner.transaction() as first:
                await clients.create(first, ClientInput(name="Norte"))
                await clients.get(first, str(UUID(int=0)))
        async with inner.transaction() as second:
            await clients.create(second, ClientInput(name="Sur"))

    preview = await dry_run.rehearse(ctx, act)

    assert [entry.entity_label for entry in preview.writes] == ["Sur"]
