"""Reports to tax authorities: which are due, what they say, and who is refused before."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from as4_server import FixedDirectory, network

from einvoice import clock
from einvoice.documents.tax_data import TaxAuthority, read_tax_data
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_INVOICE,
    ParticipantId,
)
from einvoice.domain.tax_data import ReporterRole, ReportType, Scope
from einvoice.network import samples
from einvoice.network.messages import ReceivedFinding, ReceivedOutcome, Step
from einvoice.network.sent_documents import SentDocument, SentOutcome
from einvoice.network.testing import prepared_exchange
from einvoice.network.types import Delivered, NotSent, Registration, Rejected
from einvoice.validation import Light, judge
from einvoice_peppol import directory, sbdh, sending, tax_authorities
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.tax_authorities import REPORTED_TYPES, TAX_PROCESS, TAX_TYPES, Authority
from tests.rules import samples as documents
from tests.rules.pint_samples import PINT_AE, PINT_OM

SEATS = {"AE": "000773", "OM": "000774", "SK": "000775"}
NOW = datetime(2027, 2, 1, 8, 30, tzinfo=UTC)
SINCE = date(2027, 1, 1)
DOCUMENTS = {"AE": PINT_AE, "OM": PINT_OM, "SK": documents.GOOD}
PARTIES = {
    "AE": (ParticipantId("0235", "1987654321"), ParticipantId("0235", "1345678901")),
    "OM": (ParticipantId("0248", "1987654321"), ParticipantId("0248", "1345678901")),
    "SK": (ParticipantId("0245", "2020317068"), ParticipantId("0245", "2020317069")),
}
EXPORT = ParticipantId("0235", "9900000099")
DEEMED = ParticipantId("0235", "9900000097")
BELGIAN = ParticipantId("0208", "0123456749")


def authorities(*countries):
    return {
        country: Authority(
            country,
            ParticipantId("0242", SEATS[country]),
            SINCE,
            TaxAuthority("SK-FD") if country == "SK" else None,
        )
        for country in countries or SEATS
    }


@pytest.fixture(autouse=True)
def now(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def own(c2, trusted):
    found = FixedDirectory("http://127.0.0.1:9/as4", c2)
    return replace(network(c2, trusted=trusted, directory=found), authorities=authorities())


@pytest.fixture
def peppol(own):
    return Peppol(own)


def sent(country, **changes):
    """What is known of a delivered document between two parties of the country."""
    seller, buyer = PARTIES[country]
    outcome = {name: changes.pop(name) for name in ("delivered", "refused") if name in changes}
    envelope = samples.envelope(
        **{
            "sender": seller,
            "receiver": buyer,
            "sender_country": country,
            "receiver_country": country,
            "document": DOCUMENTS[country].encode(),
            "accepted_at": NOW - timedelta(hours=1),
        }
        | changes
    )
    given = {"delivered": True, "submitted": True, "means": DeliveredMeans.RECEIVER, "at": NOW}
    return SentOutcome("peppol-test", envelope, **(given | outcome))


def received(country, **changes):
    seller, buyer = PARTIES[country]
    given = {
        "document_id": "doc-1",
        "access_point": "peppol-test",
        "instance_id": "instance-1",
        "environment": Environment.TEST,
        "tenant_id": "t",
        "sender": seller,
        "receiver": buyer,
        "document_type": BIS_INVOICE,
        "process": BIS_BILLING_PROCESS,
        "step": Step.JUDGED,
        "at": NOW,
        "received_at": NOW,
        "valid": True,
        "state": {"seat": "POP000009", "country_c1": country},
        "read_ubl": lambda: DOCUMENTS[country].encode(),
    }
    return ReceivedOutcome(**(given | changes))


@pytest.mark.parametrize("country", SEATS)
def test_both_access_points_report_a_document_and_their_reports_match(peppol, country):
    """Clean by the rules of the country, to the seat of its authority, of the same document."""
    given = sent(country)
    (ours,) = peppol.sent_outcome(given)
    instance = given.envelope.instance_id
    (theirs,) = peppol.received_outcome(received(country, instance_id=instance))
    first, second = (read_tax_data(each.document) for each in (ours, theirs))

    for each in (ours, theirs):
        assert (each.receiver, each.sender) == (
            ParticipantId("0242", SEATS[country]), ParticipantId("0242", "000001"),
        )  # fmt: skip
        assert (each.document_type, each.process) == (TAX_TYPES[country], TAX_PROCESS)
        assert (each.reports_to, each.kind.code) == (country, "TDD")
        assert judge(each.document, on=date(2026, 11, 22)).light is Light.GREEN
    assert (first.report.role, second.report.role) == tuple(ReporterRole)
    assert (first.report.type, first.report.scope) == (ReportType.SUBMIT, Scope.DOMESTIC)
    assert first.report.reporter == (PARTIES[country][0].scheme, PARTIES[country][0].value)
    assert second.report.reporter == (PARTIES[country][1].scheme, PARTIES[country][1].value)
    assert first.report.transport_id == second.report.transport_id
    for path in ("cbc:ID", "cbc:UUID", "cbc:IssueDate"):
        assert first.text(path) == second.text(path)


def test_a_repeated_call_has_the_same_key_and_uuid(peppol):
    given = sent("SK")
    (first,), (second,) = peppol.sent_outcome(given), peppol.sent_outcome(given)

    assert first == second


FIRST_MINUTE = datetime(2026, 12, 31, 23, 0, tzinfo=UTC)  # in Bratislava, an hour ahead
DUE = {  # country, changes of the outcome → type and scope of the report; None: there is none
    "delivered": ("AE", {}, ("S", "D")),
    "failed in the Emirates": ("AE", {"delivered": False}, ("F", "D")),
    "refused in the Emirates": ("AE", {"refused": True}, ("F", "D")),
    "failed in Slovakia": ("SK", {"delivered": False}, None),
    "refused in Oman": ("OM", {"refused": True}, None),
    "abroad in Peppol": ("AE", {"receiver": BELGIAN, "receiver_country": "BE"}, ("S", "IP")),
    "abroad without Peppol": ("AE", {"receiver": EXPORT, "receiver_country": "US"}, ("S", "INP")),
    "deemed supply": ("AE", {"receiver": DEEMED}, ("S", "D")),
    "in the EU": ("SK", {"receiver": BELGIAN, "receiver_country": "BE"}, ("S", "IC")),
    "outside of the EU": ("SK", {"receiver": BELGIAN, "receiver_country": "NO"}, ("S", "INTL")),
    "of an unknown country": ("SK", {"receiver_country": None}, ("S", "D")),
    "from abroad": ("SK", {"sender": BELGIAN, "sender_country": "BE"}, None),
    "the first minute": ("SK", {"accepted_at": FIRST_MINUTE}, ("S", "D")),
    "the minute before": ("SK", {"accepted_at": FIRST_MINUTE - timedelta(minutes=1)}, None),
}  # fmt: skip


def test_what_is_reported_by_the_senders_access_point(peppol):
    found = {}
    for name, (country, changes, _) in DUE.items():
        reports = list(peppol.sent_outcome(sent(country, **changes)))
        codes = [_codes(each.document) for each in reports]
        found[name] = codes[0] if codes else None

    assert found == {name: expected for name, (_, _, expected) in DUE.items()}


def _codes(document):
    found = read_tax_data(document).report
    of = tax_authorities.SPECIFICATIONS[found.country]
    return of.types[found.type], of.scopes[found.scope]


BROKEN = ReceivedFinding("error", "en16931", "BR-01", "A number is needed.")
DUE_OF_RECEIVED = {
    "valid": ({}, True),
    "broke a rule": ({"valid": False, "findings": (BROKEN,)}, False),
    "processed later": ({"step": Step.PROCESSED}, False),
    "of a Belgian receiver": ({"receiver": BELGIAN}, False),
    "before the first day": ({"received_at": NOW - timedelta(days=40)}, False),
}


def test_what_is_reported_by_the_receivers_access_point(peppol):
    given = {name: changes for name, (changes, _) in DUE_OF_RECEIVED.items()}
    found = {
        name: [m.kind.code for m in peppol.received_outcome(received("SK", **changes))] == ["TDD"]
        for name, changes in given.items()
    }

    assert found == {name: due for name, (_, due) in DUE_OF_RECEIVED.items()}


def test_the_receiver_in_slovakia_has_five_days_and_others_one(peppol):
    due = {
        (country, who): next(iter(made)).due_in
        for country in SEATS
        for who, made in (
            ("sender", peppol.sent_outcome(sent(country))),
            ("receiver", peppol.received_outcome(received(country))),
        )
    }

    assert due.pop(("SK", "receiver")) == timedelta(days=5)
    assert set(due.values()) == {timedelta(days=1)}


def test_without_authorities_nothing_is_followed_reported_or_refused(own):
    peppol = Peppol(replace(own, authorities={}))
    about = _about(*PARTIES["SK"], "SK", "SK")

    assert not peppol.reports_received()
    assert not peppol.follows_sent(about)
    assert [*peppol.sent_outcome(sent("SK")), *peppol.party_faults(about)] == []


# -- before sending --------------------------------------------------------------------------------


def _about(sender, receiver, sender_country, receiver_country):
    return SentDocument(
        Environment.TEST, sender, receiver, BIS_INVOICE, BIS_BILLING_PROCESS,
        sender_country, receiver_country,
    )  # fmt: skip


SK, AE = PARTIES["SK"], PARTIES["AE"]
VAT = ParticipantId("9950", "SK2020317068")
SHORT, LONG = ParticipantId("0245", "202031706"), ParticipantId("0235", "112345678900003")
REFUSED = {  # sender, receiver, their countries → (is receiver, code) of each fault
    "Slovak parties": (*SK, "SK", "SK", []),
    "a Slovak sender by its VAT number": (VAT, SK[1], "SK", "SK", [(False, "id")]),
    "a Slovak receiver by its VAT number": (SK[0], VAT, "SK", "SK", [(True, "id")]),
    "a number of nine digits": (SK[0], SHORT, "SK", "SK", [(True, "id")]),
    "a Belgian sender to a Slovak party": (BELGIAN, VAT, "BE", "SK", [(True, "id")]),
    "a Slovak party to a Belgian one": (SK[0], BELGIAN, "SK", "BE", []),
    "a TIN of 15 digits": (AE[0], LONG, "AE", "AE", [(True, "id")]),
    "an export": (AE[0], EXPORT, "AE", "US", []),
    "a deemed supply": (AE[0], DEEMED, "AE", "AE", []),
    "an export of a Belgian": (BELGIAN, EXPORT, "BE", "US", [(True, "set-up")]),
    "no receiver": (SK[0], None, "SK", "SK", []),
}  # fmt: skip


def test_parties_with_other_ids_than_their_country_prescribes_are_refused(peppol):
    found = {
        name: [(each.is_receiver, each.code) for each in peppol.party_faults(_about(*parties))]
        for name, (*parties, _) in REFUSED.items()
    }
    codes = {"id": "participant-id-of-country", "set-up": "reports-not-set-up"}
    expected = {
        name: [(who, codes[code]) for who, code in faults] for name, (*_, faults) in REFUSED.items()
    }

    assert found == expected


def test_before_the_first_day_no_id_is_refused(peppol, monkeypatch):
    about = _about(VAT, VAT, "SK", "SK")
    monkeypatch.setattr(clock, "now", lambda: FIRST_MINUTE - timedelta(minutes=1))
    assert [*peppol.party_faults(about)] == []
    monkeypatch.setattr(clock, "now", lambda: FIRST_MINUTE)
    assert len([*peppol.party_faults(about)]) == 2


# -- to nobody, and to the authority ---------------------------------------------------------------


def test_a_document_that_is_only_reported_goes_to_nobody(peppol, own):
    """Its receiver is found without the network, and has no access point."""
    own.directory.available = False
    envelope = samples.envelope(sender=AE[0], receiver=EXPORT, accepted_at=NOW)

    assert peppol.lookup(EXPORT) == Registration(REPORTED_TYPES)
    assert peppol.submit(*prepared_exchange(peppol, envelope)) == Delivered(
        means=DeliveredMeans.REPORTED
    )
    early = replace(envelope, accepted_at=NOW - timedelta(days=40))
    assert isinstance(peppol.submit(*prepared_exchange(peppol, early)), Rejected)


def test_the_types_of_the_emirates_are_registered_by_wildcard():
    wide = {
        f"peppol-doctype-wildcard::urn:oasis:names:specification:ubl:schema:xsd:{root}-2::{root}"
        f"##urn:peppol:pint:{kind}-1*::2.1"
        for root in ("Invoice", "CreditNote")
        for kind in ("billing", "selfbilling")
    }
    for each in REPORTED_TYPES:
        assert each.registered_as(wide) is not None
        assert each.registered_as({str(each)}) == each


def _report(country="SK"):
    """The envelope of a report, as the service makes it of the message."""
    return samples.envelope(
        sender=ParticipantId("0242", "000001"),
        receiver=ParticipantId("0242", SEATS[country]),
        document_type=TAX_TYPES[country],
        process=TAX_PROCESS,
        document=b"<TaxData xmlns='urn:peppol:schema:sk-taxdata:1.0'/>",
    )


def test_a_report_asks_for_its_status(peppol):
    enveloped = sending.enveloped(_report())
    header = sbdh.read(_inflated(enveloped), max_bytes=10**6).header

    assert header.mls_type == sbdh.ALWAYS_SEND


def _inflated(content):
    return gzip.decompress(content)


def test_an_authority_that_is_not_found_is_tried_again(peppol, own, monkeypatch):
    """A fault of its publisher must not end a report."""
    found = own.directory
    for absent in (directory.NotRegistered(), directory.NotOffered("no such type")):
        found.found = absent
        outcome = peppol.submit(*prepared_exchange(peppol, _report()))
        assert isinstance(outcome, NotSent)


# -- settings --------------------------------------------------------------------------------------


SETTINGS = {  # settings → what is wrong
    "none": ({}, []),
    "all": ({"AE_SEAT": "POP000773", "AE_SINCE": "2027-01-01"}, []),
    "by provider id": ({"AE_SEAT": "0242:000773", "AE_SINCE": "2027-01-01"}, []),
    "no day": ({"AE_SEAT": "000773"}, ["AE_SINCE is missing"]),
    "no seat": ({"AE_SINCE": "2027-01-01"}, ["AE_SEAT is missing"]),
    "a wrong day": ({"AE_SEAT": "000773", "AE_SINCE": "1.1.2027"}, ["AE_SINCE is no day"]),
    "a wrong seat": ({"AE_SEAT": "FTA", "AE_SINCE": "2027-01-01"}, ["AE_SEAT is no provider id"]),
    "no authority": ({"SK_SEAT": "000775", "SK_SINCE": "2027-01-01"}, ["SK_AUTHORITY is missing"]),
}  # fmt: skip


def test_settings_of_an_authority_are_complete_or_stop_the_start():
    found = {}
    for name, (given, _) in SETTINGS.items():
        faults: list[str] = []
        tax_authorities.configured(given.get, "P_", faults)
        found[name] = [re.split("[,:]", each.removeprefix("P_"))[0] for each in faults]

    assert found == {name: wrong for name, (_, wrong) in SETTINGS.items()}
    text = {"AE_SEAT": "POP000773", "AE_SINCE": "2027-01-01"}.get
    assert tax_authorities.configured(text, "P_", []) == authorities("AE")
