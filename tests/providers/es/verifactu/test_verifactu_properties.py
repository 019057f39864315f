"""Whatever is issued, put right and annulled: the records keep to the schema, hold together, and are taken."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from spanish_documents import CHANNEL, ISSUER, TODAY
from spanish_records import SF, annulment_fingerprint, issue_fingerprint
from spanish_strategies import annulments, any_document

from ledgerkit.providers.api import ChainLink, Environment, Heading, Installation, PastRecord, Place, State
from ledgerkit.providers.es.sandbox.forms import Setting
from ledgerkit.providers.es.sandbox.reading import read
from ledgerkit.providers.es.sandbox.rules import refusal, remark
from support.sampling import examples

START = datetime(2026, 11, 20, 9, 0, tzinfo=ZoneInfo("Europe/Madrid"))
FATES = st.sampled_from([State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.PENDING, State.UNKNOWN, State.REJECTED])


class Office:
    """One issuer that seals records one after the other, and remembers what became of each."""

    def __init__(self):
        self.records = []
        self.documents = {}
        self.past = {}

    def place(self):
        last = self.records[-1] if self.records else None
        previous = last and ChainLink(
            issuer_tax_id=last.issuer_tax_id,
            number=last.number,
            issue_date=last.issue_date,
            fingerprint=last.fingerprint,
        )
        return Place(
            previous=previous,
            installation=Installation(number="1", several_issuers=False),
            at=START + timedelta(seconds=len(self.records)),
            environment=Environment.SANDBOX,
        )

    def issue(self, document, fate):
        name = document.number, document.issue_date
        self.documents[name] = document
        self._keep(name, CHANNEL.seal(document, self.place(), self.past.get(name, ())), fate)

    def annul(self, wish, fate):
        name = wish.document.number, wish.document.issue_date
        problems = CHANNEL.annuls.preflight(wish, self.past[name], TODAY)
        if [problem.code for problem in problems] == ["3001"]:
            return
        assert problems == []
        self._keep(name, CHANNEL.annuls.seal(wish, self.place(), self.past[name]), fate)

    def _keep(self, name, record, fate):
        code = "1124" if fate is State.REJECTED else None
        self.records.append(record)
        self.past[name] = (*self.past.get(name, ()), PastRecord(kind=record.kind, state=fate, code=code))


@st.composite
def offices(draw):
    office = Office()
    for _ in range(draw(st.integers(1, 5))):
        known = draw(st.sampled_from([None, *office.documents.values()]))
        if known is None:
            document = draw(any_document())
            office.issue(document, draw(FATES))
        elif draw(st.booleans()):
            office.annul(draw(annulments(known)), draw(FATES))
        else:
            office.issue(replace(known, description=known.description + " bis"), draw(FATES))
    return office


def judged(office):
    """Codes of the authority for each record, in order: of its refusal or remark, None when all is well."""
    message = CHANNEL.message(Heading(issuer=ISSUER), [record.content for record in office.records])
    submission = read(message, TODAY)
    held, found = set(), []
    past = {name: list(all_of) for name, all_of in office.past.items()}
    for position, (record, made) in enumerate(zip(submission.records, office.records, strict=True)):
        setting = Setting(header=submission.header, now=made.generated_at)
        code = refusal(record, setting) or admitted(record, held)
        found.append(code or remark(record, setting, chain_has_records=position > 0))
        if past[made.number, made.issue_date].pop(0).state is not State.REJECTED:
            held.add(record.invoice)
    return found


def admitted(record, held):
    new = record.without_previous == "S" if made_to_annul(record) else not amends(record)
    if new == (record.invoice not in held):
        return None
    return 3000 if new else 3002


def made_to_annul(record):
    return hasattr(record, "without_previous")


def amends(record):
    return record.amendment == "S" and record.previous_rejection != "X"


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(office=offices())
def test_whatever_is_recorded_is_valid_chained_and_taken(valid, office):
    if not office.records:
        return

    valid(*office.records)

    assert judged(office) == [None] * len(office.records)
    roots = [etree.fromstring(record.content) for record in office.records]
    for record, root in zip(office.records, roots, strict=True):
        recomputed = issue_fingerprint(root) if record.kind == "issue" else annulment_fingerprint(root)
        assert record.fingerprint == root.findtext(f"{SF}Huella") == recomputed
    assert roots[0].findtext(f"{SF}Encadenamiento/{SF}PrimerRegistro") == "S"
    for earlier, later in pairwise(range(len(roots))):
        link = roots[later].find(f"{SF}Encadenamiento/{SF}RegistroAnterior")
        before = office.records[earlier]
        assert [leaf.text for leaf in link] == [
            before.issuer_tax_id,
            before.number,
            f"{before.issue_date:%d-%m-%Y}",
            before.fingerprint,
        ]


def of_the_vat_alone(document):
    return all(line.tax is None and line.cost_base is None for line in document.taxes)


@settings(
    max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(any_document().filter(of_the_vat_alone))
def test_preflight_lets_pass_what_the_authority_takes(document):
    assert CHANNEL.preflight(document, TODAY) == []
