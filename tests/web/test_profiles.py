"""The profile that a document follows: as the request names it, else as the receiver lists it."""

from __future__ import annotations

import pytest
from lxml import etree

import einvoice_loopback
from einvoice import clock
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.store.sending import registrations, transmissions
from tests.builders import send_body
from tests.networks import trade
from tests.web.caller import Caller, slug
from tests.web.submission.documents import encoded, request_of, ubl

CHOICES = (
    "is not a profile of the network peppol: peppol-bis-billing, xrechnung, "
    "peppol-bis-self-billing, nlcius, pint-ae, pint-ae-selfbilling, pint-om, "
    "pint-om-selfbilling, trade only"
)


@pytest.fixture
def app(make_app):
    return make_app([trade, einvoice_loopback])


@pytest.fixture
def caller(app):
    return Caller(app)


def reference(caller, *document_types):
    """The reference of a receiver whose lookup lists these types."""
    found = caller.reference()
    with caller.app.app_context():
        types = [str(each) for each in document_types]
        registrations.refresh(found, registered=True, document_types=types, now=clock.now())
    return found


def sent(caller, answer):
    """The transmission of an answer."""
    with caller.app.app_context():
        return transmissions.find(answer.json["transactionId"])


def customization(document):
    return etree.fromstring(document).findtext("{*}CustomizationID")


@pytest.mark.parametrize(
    ("listed", "profile"),
    [
        ((BIS_INVOICE,), "peppol-bis-billing"),
        ((trade.INVOICE,), "trade"),
        ((trade.INVOICE, BIS_INVOICE), "peppol-bis-billing"),
    ],
)
def test_the_first_profile_that_the_receiver_lists_is_chosen(caller, listed, profile):
    """With its document type, process, rules and form."""
    answer = caller.send(send_body(reference(caller, *listed)))
    assert answer.status_code == 200, answer.text

    work = sent(caller, answer)
    expected = trade.INVOICE if profile == "trade" else BIS_INVOICE
    assert (work.profile, work.document_type) == (profile, str(expected))
    assert (customization(work.document) == trade.CUSTOMIZATION) == (profile == "trade")


def test_a_named_profile_comes_before_what_the_receiver_lists_first(caller):
    body = send_body(reference(caller, BIS_INVOICE, trade.INVOICE), profile="trade")

    assert sent(caller, caller.send(body)).profile == "trade"


@pytest.mark.parametrize("profile", [None, "trade", "peppol-bis-billing"])
def test_a_receiver_that_lists_none_of_them_is_refused(caller, profile):
    body = send_body(reference(caller, "busdox-docid-qns::other"))
    if profile:
        body["invoice"]["profile"] = profile

    assert slug(caller.send(body)) == "document-type-not-supported"


def test_a_profile_without_the_kind_of_the_document_is_refused(caller):
    body = send_body(reference(caller, trade.INVOICE), type="creditNote", profile="trade")

    assert slug(caller.send(body)) == "document-type-not-supported"


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_unknown_profile_is_refused_with_the_choices(caller, dry_run):
    body = send_body(reference(caller, BIS_INVOICE), profile="xrechnung-9")

    refused = caller.send(body | {"options": {"dryRun": dry_run}})
    assert slug(refused) == "invalid-field"
    [error] = refused.json["errors"]
    assert (error["pointer"], error["code"]) == ("/invoice/profile", "unknown-profile")
    assert error["message"] == CHOICES


def test_a_dry_run_shows_the_document_of_the_profile(caller):
    body = send_body(reference(caller, trade.INVOICE))
    body["options"] = {"dryRun": True, "includeDocument": True}

    assert customization(caller.send(body).json["document"].encode()) == trade.CUSTOMIZATION


def test_a_large_send_follows_the_profile_too(caller):
    """It is computed in another process."""
    line = {"description": "Toll", "quantity": 1, "unitPrice": 1, "taxRate": 0}
    totals = {"subtotal": 1001, "taxAmount": 0, "grandTotal": 1001}
    body = send_body(reference(caller, trade.INVOICE), lineItems=[line] * 1001, totals=totals)

    work = sent(caller, caller.send(body))
    assert (work.profile, customization(work.document)) == ("trade", trade.CUSTOMIZATION)


@pytest.mark.parametrize(("profile", "rules"), [(None, "peppol-bis-billing"), ("trade", "trade-1")])
def test_validation_judges_by_the_profile(caller, profile, rules):
    """Of the body of a send, and of a document, which is converted."""
    named = {"profile": profile} if profile else {}
    for body in (send_body("", **named), {"invoice": encoded(ubl())} | named):
        answer = caller.bearer("POST", "/v1/invoices/validate", body)

        assert answer.status_code == 200, answer.text
        assert answer.json["ruleSet"].startswith(rules)


def test_validation_of_an_unknown_profile_is_refused_with_the_choices(caller):
    for body, pointer in (
        (send_body("", profile="other"), "/invoice/profile"),
        ({"invoice": encoded(ubl()), "profile": "other"}, "/profile"),
    ):
        refused = caller.bearer("POST", "/v1/invoices/validate", body)

        assert slug(refused) == "invalid-field"
        [error] = refused.json["errors"]
        assert (error["pointer"], error["message"]) == (pointer, CHOICES)


@pytest.mark.parametrize(
    ("listed", "named", "profile"),
    [
        ((BIS_INVOICE, trade.INVOICE), None, "peppol-bis-billing"),
        ((BIS_INVOICE, trade.INVOICE), "trade", "trade"),
    ],
)
def test_a_submitted_document_becomes_one_of_the_named_profile(caller, listed, named, profile):
    reference(caller, *listed)

    answer = caller.bearer(
        "POST", "/v1/invoices", request_of(ubl(), profile=named), Prefer="respond-async"
    )
    assert answer.status_code == 202, answer.text
    assert sent(caller, answer).profile == profile
    codes = [each["code"] for each in answer.json["warnings"]]
    assert ("converted-for-network" in codes) == (profile == "trade")


def test_a_submitted_document_of_a_profile_follows_it(caller):
    """By what it says of itself, without a word in the request."""
    reference(caller, BIS_INVOICE, trade.INVOICE)
    document = ubl().replace(customization(ubl()).encode(), trade.CUSTOMIZATION.encode())

    answer = caller.bearer("POST", "/v1/invoices", request_of(document), Prefer="respond-async")
    assert sent(caller, answer).profile == "trade"
    assert sent(caller, answer).document == document


def test_a_document_of_no_profile_becomes_the_first_that_the_receiver_lists(caller):
    reference(caller, trade.INVOICE)
    document = ubl().replace(customization(ubl()).encode(), trade.NORM.encode())

    answer = caller.bearer("POST", "/v1/invoices", request_of(document), Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    assert sent(caller, answer).profile == "trade"


def test_a_batch_names_the_profile_of_each_document(caller):
    reference(caller, BIS_INVOICE, trade.INVOICE)
    entries = [request_of(ubl(), profile=name) for name in ("trade", None, "other")]

    results = caller.bearer("POST", "/v1/invoices/batch", {"invoices": entries}).json["results"]
    assert [each["httpStatus"] for each in results] == [202, 202, 400]
    assert results[2]["error"]["errors"][0]["message"] == CHOICES


def test_a_key_stands_for_the_profile_too(caller):
    """Another profile is another document."""
    reference(caller, BIS_INVOICE, trade.INVOICE)
    document = ubl()
    for named in (None, "trade"):
        answer = caller.bearer(
            "POST", "/v1/invoices", request_of(document, profile=named),
            Prefer="respond-async", Idempotency_Key="k",
        )  # fmt: skip

    assert answer.headers["Idempotency-Payload-Mismatch"] == "true"
