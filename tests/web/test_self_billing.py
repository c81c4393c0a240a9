"""Self-billing (decisions 20.7): the buyer issues and sends the invoice to the supplier."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from lxml import etree

import einvoice_loopback
from einvoice.documents.pdf.words import Words
from einvoice.domain.identifiers import (
    BIS_INVOICE,
    SELF_BILLED_CREDIT_NOTE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_CUSTOMIZATION,
    SELF_BILLING_PROCESS,
    SELF_BILLING_PROFILE,
    ParticipantId,
)
from einvoice.network import samples
from einvoice.services.account import profile
from einvoice.services.inbound import reception
from einvoice.store.core import db
from einvoice.store.sending import registrations, transmissions
from einvoice.store.tables import Transmission
from einvoice.web import locales
from einvoice.web.buyer.texts import words_of
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER, send_body
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.submission.documents import encoded, request_of

INVOICE, CREDIT_NOTE = "selfBilledInvoice", "selfBilledCreditNote"
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "ro", "sv")
# The tenant is the buyer, who sends; the supplier has no account here.
SUPPLIER = {"name": "Acme NV", "taxId": "BE0403019261",
            "address": {"line1": "Street 1", "city": "Gent", "countryCode": "BE"}}  # fmt: skip
BUYER = {"name": "Buyer BV", "taxId": "BE0123456749",
         "address": {"line1": "Road 2", "city": "Amsterdam", "countryCode": "NL"}}  # fmt: skip


@pytest.fixture
def caller(service):
    return Caller(service)


def self_bill(caller, kind=INVOICE, reference=None, **invoice):
    """A send by the buyer to RECEIVER, the supplier."""
    parties = {"supplier": SUPPLIER, "buyer": BUYER, "type": kind}
    return send_body(reference or caller.reference(), **(parties | invoice))


def document_of(caller, kind=INVOICE, **invoice) -> bytes:
    """The document that a dry run answers."""
    body = self_bill(caller, kind, **invoice)
    answer = caller.send(body | {"options": {"dryRun": True, "includeDocument": True}})
    assert answer.status_code == 200, answer.text
    return answer.json["document"].encode()


def endpoint(root, party):
    found = root.find(f".//{{*}}Accounting{party}Party//{{*}}EndpointID")
    return f"{found.get('schemeID')}:{found.text}"


@pytest.mark.parametrize(
    ("kind", "code", "root"), [(INVOICE, "389", "Invoice"), (CREDIT_NOTE, "261", "CreditNote")]
)
def test_the_document_is_one_of_self_billing(caller, kind, code, root):
    """With its identifiers and type; the sender is the buyer, the receiver the supplier."""
    document = etree.fromstring(document_of(caller, kind))

    assert etree.QName(document).localname == root
    assert document.findtext("{*}CustomizationID") == SELF_BILLING_CUSTOMIZATION
    assert document.findtext("{*}ProfileID") == SELF_BILLING_PROFILE
    assert document.findtext(f"{{*}}{root}TypeCode") == code
    assert (endpoint(document, "Supplier"), endpoint(document, "Customer")) == (RECEIVER, SENDER)


@pytest.mark.parametrize(
    ("kind", "document_type"),
    [(INVOICE, SELF_BILLED_INVOICE), (CREDIT_NOTE, SELF_BILLED_CREDIT_NOTE)],
)
def test_it_is_sent_by_its_document_type_and_process_and_shown_as_such(caller, kind, document_type):
    sent = caller.send(self_bill(caller, kind))
    assert sent.status_code == 200, sent.text

    with caller.app.app_context():
        work = transmissions.find(sent.json["transactionId"])
    assert (work.document_type, work.process) == (str(document_type), str(SELF_BILLING_PROCESS))
    assert work.profile == "peppol-bis-self-billing"
    assert (work.sender_country, work.receiver_country) == ("NL", "BE")
    found = caller.get(f"/api/invoices/{sent.json['invoiceId']}").json
    assert (found["type"], found["senderParticipantId"]) == (kind, SENDER)
    assert found["trafficLight"] == "green"
    [listed] = caller.get("/api/invoices").json["items"]
    assert listed["type"] == kind
    tracked = caller.bearer("GET", f"/v1/invoices/{sent.json['invoiceId']}").json
    assert tracked["documentType"] == kind
    assert tracked["validation"]["ruleSet"] == "selfbilling-3.0.2"
    assert tracked["receiver"] == {"peppolId": RECEIVER, "country": "BE"}
    [listed] = caller.bearer("GET", "/v1/invoices").json["items"]
    assert (listed["documentType"], listed["receiver"]["country"]) == (kind, "BE")


def test_a_receiver_that_takes_no_self_billed_invoices_is_refused(caller):
    """The lookup lists the document types, which are others than those of invoices."""
    found = caller.reference()
    with caller.app.app_context():
        row = registrations.find(found, caller.tenant, "test")
        types = [str(BIS_INVOICE)]
        registrations.refresh(found, registered=True, document_types=types, now=row.checked_at)

    assert slug(caller.send(self_bill(caller, reference=found))) == "document-type-not-supported"


def test_a_profile_that_has_no_self_billed_invoices_is_refused(caller):
    refused = caller.send(self_bill(caller, profile="peppol-bis-billing"))

    assert slug(refused) == "document-type-not-supported"
    assert caller.send(self_bill(caller, profile="peppol-bis-self-billing")).status_code == 200


def test_the_account_and_terms_of_the_tenant_are_not_those_of_the_supplier(caller):
    """The tenant is to pay: its own IBAN is no default, nor are the terms of its customers."""
    with caller.app.app_context():
        profile.change(
            caller.tenant, {"iban": "BE68539007547034"}, None, runtime_of(caller.app).caches
        )

    assert b"BE68539007547034" not in document_of(caller)
    means = {"iban": "BE71096123456769"}
    assert b"BE71096123456769" in document_of(caller, paymentMeans=means)


@pytest.mark.parametrize(
    ("party", "scheme", "field"),
    [
        ("receiver", "0007:123", "routing.receiverParticipantId"),
        ("sender", "0007:123", "routing.senderParticipantId"),
    ],
)
def test_a_finding_names_the_end_of_the_routing_that_is_wrong(caller, party, scheme, field):
    body = self_bill(caller, reference="none")
    body["routing"][f"{party}ParticipantId"] = scheme

    report = caller.bearer("POST", "/v1/invoices/validate", body).json
    fields = {each["ruleId"]: each["field"] for each in report["findings"]}
    assert fields["PEPPOL-COMMON-R049"] == field
    assert report["documentType"] == INVOICE


def test_a_self_billed_document_is_sent_as_it_is(caller):
    """By the document types of its profile, and compared with the request the right way round."""
    document = document_of(caller)

    answer = caller.bearer(
        "POST", "/v1/invoices", request_of(document, sender={"peppolId": SENDER, "country": "NL"}),
        Prefer="respond-async",
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    assert (answer.json["documentType"], answer.json["warnings"]) == (INVOICE, [])
    with caller.app.app_context():
        work = transmissions.find(answer.json["transactionId"])
    assert (work.document, work.document_type) == (document, str(SELF_BILLED_INVOICE))
    wrong = request_of(document, sender={"peppolId": SENDER, "country": "BE"})
    assert slug(caller.bearer("POST", "/v1/invoices", wrong)) == "invalid-field"


def test_validation_and_conversion_know_self_billed_documents(caller):
    document = document_of(caller)

    report = caller.bearer("POST", "/v1/invoices/validate", {"invoice": encoded(document)}).json
    assert (report["trafficLight"], report["documentType"]) == ("green", INVOICE)
    made = caller.bearer("POST", "/v1/invoices/convert", self_bill(caller)).json
    assert SELF_BILLING_CUSTOMIZATION in made["document"]
    assert made["validation"]["trafficLight"] == "green"


def received(caller, document, document_type=SELF_BILLED_INVOICE, sender=SENDER):
    """The id of a document that arrives for RECEIVER, which the caller owns."""
    caller.own(RECEIVER)
    parts = runtime_of(caller.app)
    inbound = samples.inbound(
        document=document,
        document_type=document_type,
        process=SELF_BILLING_PROCESS,
        sender=ParticipantId.parse(sender),
        receiver=ParticipantId.parse(RECEIVER),
    )
    with caller.app.app_context():
        return reception.receive(inbound, parts.caches, parts.computing, parts.forms).document_id


@pytest.fixture
def supplier(make_app):
    """Another tenant, who supplies, in a database of its own."""

    return Caller(make_app([einvoice_loopback]))


@pytest.fixture
def people(supplier):
    return Dashboard(supplier.app, supplier.tenant)


def test_a_received_one_is_matched_with_the_customer_who_sent_it(caller, supplier, people):
    """By its participant id, else tax id, else name; no supplier is taken for it."""
    customer = people.post("/api/customers", {"name": "Another name", "peppolId": SENDER}).json[
        "customerId"
    ]
    people.post("/api/suppliers", {"name": "Acme NV", "taxId": "BE0403019261"})
    document = document_of(caller)

    bill = supplier.get(f"/api/invoices/{received(supplier, document)}").json
    assert (bill["type"], bill["direction"]) == (INVOICE, "received")
    assert (bill["customerId"], bill["supplierId"]) == (customer, None)
    assert bill["documentTypeId"] == str(SELF_BILLED_INVOICE)
    assert bill["trafficLight"] == "green"
    [listed] = supplier.get(f"/api/invoices?customerId={customer}").json["items"]
    assert (listed["invoiceId"], listed["customerId"]) == (bill["invoiceId"], customer)
    assert listed["type"] == INVOICE


@pytest.mark.parametrize(
    ("entry", "matched"),
    [
        ({"name": "Other", "taxId": "BE0123456749"}, True),
        ({"name": "buyer bv"}, True),
        ({"name": "Acme NV"}, False),
    ],
)
def test_a_customer_is_found_by_tax_id_or_name_of_the_buyer(
    caller, supplier, people, entry, matched
):
    people.post("/api/customers", entry)
    bill = received(supplier, document_of(caller))

    found = supplier.get(f"/api/invoices/{bill}").json
    assert (found["customerId"] is not None) == matched


def test_merged_customers_keep_their_self_billed_invoices(caller, supplier, people):
    first = people.post("/api/customers", {"name": "One", "peppolId": SENDER}).json["customerId"]
    bill = received(supplier, document_of(caller))
    other = people.post("/api/customers", {"name": "Two"}).json["customerId"]

    merged = people.post(f"/api/customers/{other}/merge", {"otherId": first})
    assert merged.status_code == 200, merged.text
    assert supplier.get(f"/api/invoices/{bill}").json["customerId"] == other


def test_several_customers_that_match_equally_are_named(caller, supplier, people):
    for name in ("One", "Two"):
        people.post("/api/customers", {"name": name, "peppolId": SENDER})
    bill = supplier.get(f"/api/invoices/{received(supplier, document_of(caller))}").json

    assert bill["customerId"] is None
    assert "customer-ambiguous" in [each["code"] for each in bill["warnings"]]


def test_a_directory_is_filled_with_the_parties_of_their_roles(caller, supplier, people):
    """The buyer who sent is a customer, the supplier who is sent to a supplier."""
    received(supplier, document_of(caller))
    assert people.post("/api/suppliers/seed-from-invoices").json["total"] == 0
    assert people.post("/api/customers/seed-from-invoices").json["created"] == 1
    [customer] = people.get("/api/customers").json["items"]
    assert (customer["name"], customer["peppolId"]) == ("Buyer BV", SENDER)

    caller.send(self_bill(caller))
    mine = Dashboard(caller.app, caller.tenant)
    assert mine.post("/api/customers/seed-from-invoices").json["total"] == 0
    assert mine.post("/api/suppliers/seed-from-invoices").json["created"] == 1


def test_an_unreadable_one_has_the_kind_that_its_sender_declared(supplier):
    bill = received(supplier, b"<Invoice", SELF_BILLED_CREDIT_NOTE)

    assert supplier.get(f"/api/invoices/{bill}").json["type"] == CREDIT_NOTE


@pytest.mark.parametrize("language", LANGUAGES)
def test_pdf_and_page_have_titles_in_every_language(language):
    """Not those of an invoice, nor of a credit note."""
    words = Words(language)
    page = words_of(locales.chosen([language], None))
    printed = [words(f"title.{name}") for name in ("self_billed", "self_billed_credit_note")]
    shown = [page[INVOICE], page[CREDIT_NOTE]]

    others = {words("title.invoice"), words("title.credit_note"), page["invoice"]}
    assert len({*printed, *others}) == 2 + len(others)
    assert printed == shown


def test_the_page_of_a_self_billed_invoice_has_its_title(caller):
    sent = caller.send(self_bill(caller)).json
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(
            sa.update(Transmission)
            .where(Transmission.id == sent["transactionId"])
            .values(status="Delivered", settled_at=Transmission.created_at)
        )
    people = Dashboard(caller.app, caller.tenant)
    token = people.post(f"/api/invoices/{sent['invoiceId']}/share").json["shareToken"]
    path = f"/api/invoices/view/{token}"

    page = caller.app.test_client().get(
        path, headers={"Accept": "text/html", "Accept-Language": "en"}
    )
    assert "Self-billed invoice" in page.text
    assert caller.app.test_client().get(f"{path}/pdf").status_code == 200
