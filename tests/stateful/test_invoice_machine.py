"""An invoice's life over the REST interface, in two accounts at once, held against a model.

The first account reports what it issues, the second one has e-invoicing off.
"""

from datetime import date, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test
from invoice_model import Book, Entry

from ledgerkit import clock
from support.api import Api, invoice_body, item
from support.office import Office
from support.sampling import examples

WHO = st.sampled_from([0, 1])
PRICES = st.integers(1, 99_999).map(lambda cents: cents / 100)
AGES = st.sampled_from([0, 0, 0, 5, 30])
TERMS = st.sampled_from([0, 3, 60])
TRESPASSES = ("GET", "PUT", "DELETE", "pay", "duplicate", "restore", "share", "emit", "status")
STATUSES = ("draft", "sent", "paid", "overdue")


class InvoiceLife(RuleBasedStateMachine):
    """Every rule is one request (or two), its answer and what it must have changed."""

    office: ClassVar[Office]
    run: ClassVar[Any]
    invoices = Bundle("invoices")

    @initialize(target=invoices, price=PRICES)
    def begin(self, price):
        self.accounts = [self.run(self.office.account(name)) for name in ("Ana Ruiz", "Berta Gil")]
        self._ask(1, "PUT", "/api/teams/current", {"einvoicing": "off"})
        self.books = [Book(), Book(reported=False)]
        return self._create(0, price, 0, 30)

    # ------------------------------------------------------------ drafts

    @rule(target=invoices, who=WHO, price=PRICES, age=AGES, term=TERMS)
    def create(self, who, price, age, term):
        return self._create(who, price, age, term)

    @rule(target=invoices, one=invoices)
    def duplicate(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "POST", f"/api/invoices/{entry.id}/duplicate")
        if entry.deleted:
            assert answer.status_code == 404
            return multiple()
        shown = answer.json()
        assert answer.status_code == 201
        assert (shown["number"], shown["shareToken"], shown["einvoice"], shown["amountPaid"]) == (None, None, None, 0)
        assert (shown["issueDate"], shown["total"]) == (self.today.isoformat(), entry.total)
        return who, self.books[who].note(shown).id

    @rule(one=invoices, price=PRICES)
    def change_the_price(self, one, price):
        who, entry = self._found(one)
        answer = self._ask(who, "PUT", f"/api/invoices/{entry.id}", {"items": [item(unitPrice=price)]})
        if entry.deleted:
            assert answer.status_code == 404
        elif total_of(price) == entry.total:
            assert answer.status_code == 200
        elif entry.emitted or entry.state == "paid":
            assert (answer.status_code, answer.json()["code"]) == (400, "INVOICE_LOCKED")
        elif cents_of(total_of(price)) < entry.paid:
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "items")
        else:
            entry.total = answer.json()["total"]
            assert entry.total == total_of(price)

    @rule(one=invoices, term=TERMS)
    def move_the_due_date(self, one, term):
        who, entry = self._found(one)
        due = entry.issue_date + timedelta(days=term)
        answer = self._ask(who, "PUT", f"/api/invoices/{entry.id}", {"dueDate": due.isoformat()})
        if entry.deleted:
            assert answer.status_code == 404
            return
        assert answer.status_code == 200
        entry.due_date = due
        self._same(entry, answer.json())

    # ------------------------------------------------------------ issuing

    @rule(one=invoices)
    def pay(self, one):
        self._issue(one, "paid", "PATCH", "/api/invoices/{id}/pay", None)

    @rule(one=invoices, part=st.integers(1, 100_000))
    def pay_a_part(self, one, part):
        who, entry = self._found(one)
        if not entry.deleted and part > entry.owed:
            answer = self._ask(who, "PATCH", f"/api/invoices/{entry.id}/pay", {"amount": part / 100})
            wanted = {"PAYMENT_EXCEEDS_BALANCE"} | (set() if entry.issued else {"ISSUE_DATE_BEFORE_LAST"})
            assert answer.status_code == 400
            assert answer.json()["code"] in wanted
        elif self._issue(one, "sent", "PATCH", "/api/invoices/{id}/pay", {"amount": part / 100}) is not None:
            entry.pay(part)

    @rule(one=invoices)
    def send(self, one):
        answer = self._issue(one, "sent", "PATCH", "/api/invoices/{id}/send", None)
        if answer is not None:  # an address of this machine alone is never mailed, and none is made for it
            assert answer["invoice"]["shareToken"] == self._found(one)[1].share_token

    @rule(one=invoices)
    def emit(self, one):
        who, entry = self._found(one)
        if not self.books[who].reported and not entry.deleted:
            answer = self._ask(who, "POST", "/api/einvoice/emit", {"invoiceId": entry.id})
            assert (answer.status_code, answer.json()["code"]) == (400, "EINVOICING_OFF")
            return
        answer = self._issue(one, "sent", "POST", "/api/einvoice/emit", {"invoiceId": one[1]})
        assert answer is None or answer["status"] == "accepted"

    # ------------------------------------------------------------ links and deletion

    @rule(one=invoices)
    def share(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "POST", f"/api/invoices/{entry.id}/share")
        if entry.deleted:
            assert answer.status_code == 404
            return
        self._shared(entry, answer.json()["shareToken"])

    @rule(one=invoices)
    def unshare(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "DELETE", f"/api/invoices/{entry.id}/share")
        if entry.deleted or entry.share_token is None:
            assert answer.status_code == 404
            return
        assert answer.status_code == 200
        assert self._page(entry.share_token) == 404
        entry.share_token = None

    @rule(one=invoices)
    def delete(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "DELETE", f"/api/invoices/{entry.id}")
        if entry.deleted:
            assert answer.status_code == 404
            return
        assert answer.json()["ok"] is True
        assert (answer.json()["warning"] is not None) == entry.emitted
        entry.deleted = True
        assert entry.share_token is None or self._page(entry.share_token) == 404

    @rule(one=invoices)
    def restore(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "POST", f"/api/invoices/{entry.id}/restore")
        assert answer.status_code == 200
        entry.deleted = False
        self._same(entry, answer.json())

    # ------------------------------------------------------------ looking

    @rule(one=invoices)
    def look(self, one):
        who, entry = self._found(one)
        answer = self._ask(who, "GET", f"/api/invoices/{entry.id}")
        assert answer.status_code == (404 if entry.deleted else 200)
        if not entry.deleted:
            self._same(entry, answer.json())

    @rule(one=invoices, how=st.sampled_from(TRESPASSES))
    def trespass(self, one, how):
        """The other account's requests find nothing there."""
        who, entry = self._found(one)
        path = f"/api/invoices/{entry.id}"
        method, path, body = {
            "GET": ("GET", path, None),
            "PUT": ("PUT", path, {"notes": "mine"}),
            "DELETE": ("DELETE", path, None),
            "pay": ("PATCH", f"{path}/pay", None),
            "duplicate": ("POST", f"{path}/duplicate", None),
            "restore": ("POST", f"{path}/restore", None),
            "share": ("POST", f"{path}/share", None),
            "emit": ("POST", "/api/einvoice/emit", {"invoiceId": entry.id}),
            "status": ("GET", f"/api/einvoice/status/{entry.id}", None),
        }[how]
        assert self._ask(1 - who, method, path, body).status_code == 404

    @rule(who=WHO)
    def count(self, who):
        """Lists, totals of every status and the client's figures are those of the model."""
        book = self.books[who]
        shown = self._list(who, "")
        assert {one["id"] for one in shown} == {entry.id for entry in book.listed}
        for one in shown:
            self._same(book.entries[one["id"]], one)
        for status in STATUSES:
            wanted = {entry.id for entry in book.listed if entry.status(self.today) == status}
            assert {one["id"] for one in self._list(who, f"&status={status}")} == wanted
        self._check_figures(who)

    def teardown(self):
        for who in (0, 1):
            self.count(who)

    # ------------------------------------------------------------ steps

    @property
    def today(self) -> date:
        return clock.today("Europe/Madrid")

    def _create(self, who, price, age, term):
        issued = self.today - timedelta(days=age)
        dates = {"issueDate": issued.isoformat(), "dueDate": (issued + timedelta(days=term)).isoformat()}
        answer = self._ask(who, "POST", "/api/invoices", invoice_body(items=[item(unitPrice=price)], **dates))
        assert answer.status_code == 201
        entry = self.books[who].note(answer.json())
        assert entry.total == total_of(price)
        return who, entry.id

    def _issue(self, one, state, method, path, body) -> Any:
        """A request that issues a draft, or finds it issued; its answer where it was successful."""
        who, entry = self._found(one)
        answer = self._ask(who, method, path.format(id=entry.id), body)
        if entry.deleted:
            assert answer.status_code == 404
            return None
        if not self.books[who].may_issue(entry):
            assert (answer.status_code, answer.json()["code"]) == (400, "ISSUE_DATE_BEFORE_LAST")
            return None
        assert answer.status_code == 200, answer.text
        said = answer.json()
        self.books[who].issue(entry, state, said.get("invoice", said)["number"])
        return said

    def _found(self, one) -> tuple[int, Entry]:
        who, invoice_id = one
        return who, self.books[who].entries[invoice_id]

    def _ask(self, who, method, path, body=None):
        return self.run(self.accounts[who].request(method, path, body))

    def _list(self, who, condition) -> list[Any]:
        answer = self._ask(who, "GET", f"/api/invoices?limit=100{condition}")
        shown = answer.json()
        assert answer.headers["X-Total-Count"] == str(len(shown))
        return shown

    def _shared(self, entry, token) -> None:
        assert entry.share_token in {None, token}
        entry.share_token = token
        assert self._page(token) == 200

    def _same(self, entry, shown) -> None:
        assert shown["status"] == entry.status(self.today)
        assert (shown["number"], shown["shareToken"], shown["total"]) == (entry.number, entry.share_token, entry.total)
        assert cents_of(shown["balance"]) == entry.owed
        assert (shown["einvoice"] is not None) == entry.emitted

    def _check_figures(self, who) -> None:
        count, invoiced, owed = self.books[who].figures()
        shown = self._ask(who, "GET", "/api/clients").json()
        assert len(shown) == (1 if self.books[who].entries else 0)
        for client in shown:
            assert client["invoiceCount"] == count
            assert round(client["totalInvoiced"] * 100) == invoiced
            assert round(client["balance"] * 100) == owed

    def _page(self, token) -> int:
        stranger = Api(self.office.client, {})
        status: int = self.run(stranger.request("GET", f"/s/{token}")).status_code
        return status


def cents_of(amount: float) -> int:
    return round(amount * 100)


def total_of(price: float) -> float:
    """With 21 % VAT, half up, counted in cents."""
    base = round(price * 100)
    return (base + (base * 21 + 50) // 100) / 100


@pytest.fixture
def machine(office, loop):
    InvoiceLife.office, InvoiceLife.run = office, staticmethod(loop.run_until_complete)
    return InvoiceLife


def test_any_history_of_two_accounts_agrees_with_the_model(machine):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    steps = settings(max_examples=examples(8), stateful_step_count=30, deadline=None, suppress_health_check=checks)

    run_state_machine_as_test(machine, settings=steps)
