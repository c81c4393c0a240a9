"""Participant ids as people write them (decisions 31.3): one company is one participant."""

from __future__ import annotations

import json
import time

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidParticipant, SelfInvoicing
from einvoice.domain.identifiers import ParticipantId
from einvoice.web.shared.send_bodies import read_send
from tests.builders import SENDER, send_body


@pytest.mark.parametrize(
    ("written", "registered"),
    [
        # letspeppol#69, #195; woocommerce-pdf-invoices-packing-slips#1426
        ("0208:BE0403170701", "0208:0403170701"),
        ("0208:0403.170.701", "0208:0403170701"),
        ("0208:403170701", "0208:0403170701"),
        ("0208:BE 0403.170.701", "0208:0403170701"),
        ("0208:be-0403-170-701", "0208:0403170701"),
        ("iso6523-actorid-upis::0208:0403170701", "0208:0403170701"),
        ("ISO6523-ACTORID-UPIS::9925:BE0403170701", "9925:BE0403170701"),
        (" 0208 : 0403 170 701 ", "0208:0403170701"),
        ("9925:0403.170.701", "9925:BE0403170701"),
        ("9925:be403170701", "9925:be0403170701"),
        ("0007:556036-0793", "0007:5560360793"),
        ("0106:1234 5678", "0106:12345678"),
        ("0192:995 525 828", "0192:995525828"),
        ("9930:DE 123 456 788", "9930:DE123456788"),
        # nothing is known of these, or they are what they are
        ("0208:12", "0208:12"),
        ("0208:040317070", "0208:040317070"),
        ("0208:04031707011", "0208:04031707011"),
        ("0204:04011000-12345-03", "0204:04011000-12345-03"),
        ("0088:9520000000004", "0088:9520000000004"),
        ("0230:AB.CD-1", "0230:AB.CD-1"),
    ],
)
def test_each_notation_is_the_registered_one(written, registered):
    assert str(ParticipantId.parse(written)) == registered


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0403170701", "0208:0403170701"),
        ("BE 0403.170.701", "0208:0403170701"),
        ("9520000000004", "0088:9520000000004"),
        ("DE123456788", "9930:DE123456788"),
    ],
)
def test_a_number_without_a_scheme_is_answered_with_the_id_that_is_meant(written, meant):
    with pytest.raises(InvalidParticipant, match=f"; use {meant} if you mean that"):
        ParticipantId.parse(written)


@pytest.mark.parametrize("written", ["0403170700", "9520000000005", "ZZ123456788", "", "12", None])
def test_nothing_is_suggested_for_a_number_that_is_none(written):
    with pytest.raises(InvalidParticipant, match=r"<identifier>$"):
        ParticipantId.parse(written)


def test_route_and_document_name_one_participant():
    body = send_body("ref")
    body["routing"]["receiverParticipantId"] = "0208:BE 0403.170.701"
    request = read_send(json.dumps(body).encode())

    endpoint = derive(request["invoice"], request["routing"]).invoice.buyer.endpoint
    assert str(request["routing"].receiver) == f"{endpoint.scheme}:{endpoint.value}"
    assert endpoint.value == "0403170701"


def test_oneself_is_oneself_in_any_notation():
    body = send_body("ref")
    body["routing"]["receiverParticipantId"] = f"iso6523-actorid-upis::{SENDER}"

    with pytest.raises(SelfInvoicing):
        read_send(json.dumps(body).encode())


@pytest.mark.parametrize("unit", ["0208:", "1", " ", "BE", ":", "a.", "é"])
def test_a_hostile_id_takes_time_in_proportion(unit):
    begun = time.process_time()
    with pytest.raises(InvalidParticipant):
        ParticipantId.parse(unit * (100_000 // len(unit)))
    assert time.process_time() - begun < 0.2
