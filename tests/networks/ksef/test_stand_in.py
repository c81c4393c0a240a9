"""The stand-in for KSeF keeps the published interface, and refuses what KSeF refuses."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from einvoice import clock
from tests.networks import ksef
from tests.networks.ksef import judging, samples, xades
from tests.networks.ksef.client import Client, code_of, of_another_key, wrapped
from tests.networks.ksef.keys import SYMMETRIC, TOKENS, digest
from tests.networks.ksef.numbers import WARSAW, crc8
from tests.networks.ksef.schemas import FOLDER, fault_of, schema_at

needed = pytest.mark.skipif(
    not judging.DOCUMENT.exists(), reason=f"no {judging.DOCUMENT} (set EINVOICE_NETWORKS)"
)


@pytest.fixture
def client(service):
    """A seller that is logged in."""
    return Client(service).sign_in()


# -- the interface ---------------------------------------------------------------------------------


@needed
def test_a_journey_keeps_the_published_interface(authority, service, client):
    """Login by signature and by token, an invoice, its statuses, and both UPO."""
    Client(service).finish(client.send_token(authority.issue_token(samples.SELLER)))
    session = client.opened()
    status = client.sent(session, samples.fa3("A/1"))
    client.call("GET", f"/sessions/{session}/invoices")
    client.call("GET", f"/sessions/{session}/invoices/failed")
    number = status["ksefNumber"]
    client.call("GET", f"/sessions/{session}/invoices/ksef/{number}/upo")
    client.call("GET", f"/sessions/{session}/invoices/{status['referenceNumber']}/upo")
    client.call("POST", f"/sessions/online/{session}/close")
    closed = client.call("GET", f"/sessions/{session}").json()
    page = closed["upo"]["pages"][0]["referenceNumber"]
    client.call("GET", f"/sessions/{session}/upo/{page}")
    client.call("GET", "/sessions?sessionType=Online&statuses=Succeeded&statuses=Failed")
    client.call("GET", "/rate-limits")
    client.call("GET", "/limits/context")
    client.call("GET", "/auth/sessions")
    client.call("POST", "/auth/token/refresh", token=client.refresh)
    made = client.call("POST", "/tokens", {"permissions": ["InvoiceRead"], "description": "a test"})
    client.call("GET", "/tokens")
    client.call("GET", f"/tokens/{made.json()['referenceNumber']}")
    client.call("DELETE", f"/tokens/{made.json()['referenceNumber']}")
    client.call("DELETE", "/auth/sessions/current")

    assert judging.faults(service.exchanges) == []
    assert closed["status"]["code"] == 200
    assert {each.answer.status for each in service.exchanges} <= {200, 201, 202, 204}


@needed
def test_every_route_is_a_published_call():
    for route in ksef.ROUTES:
        operation = judging.document()["paths"][route.template][route.method.lower()]

        assert bool(operation.get("security")) is (route.bearer is not None), route.name


@needed
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda v: v | {"invoiceHash": "AA=="}, "too short"),
        (lambda v: v | {"invoiceSize": "12"}, "not of type 'integer'"),
        (lambda v: {n: x for n, x in v.items() if n != "encryptedInvoiceSize"}, "required"),
        (lambda v: v | {"offlinemode": True}, "'offlinemode' is not known"),
    ],
)
def test_a_request_that_is_not_as_published_is_a_fault(service, client, change, fault):
    client.send(client.opened(), samples.fa3("A/1"))
    exchange = service.named("POST /sessions/online/{referenceNumber}/invoices")[0]
    body = json.dumps(change(exchange.request.json())).encode()
    damaged = exchange._replace(request=replace(exchange.request, body=body))

    assert any(fault in each for each in judging.faults([damaged]))


@needed
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda a: replace(a, status=418), "the status"),
        (lambda a: replace(a, body=b'{"referenceNumber": "1"}'), "too short"),
        (lambda a: replace(a, type="text/html"), "content type"),
        (lambda a: replace(a, headers={"X-Other": "1"}), "X-Other"),
    ],
)
def test_an_answer_that_is_not_as_published_is_a_fault(service, client, change, fault):
    client.opened()
    exchange = service.named("POST /sessions/online")[0]

    found = judging.faults([exchange._replace(answer=change(exchange.answer))])
    assert any(fault in each for each in found)


# -- login -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [None, samples.elliptic_key()])
def test_rsa_and_elliptic_keys_log_in(service, key):
    client = Client(service).sign_in(samples.seal_of(key=key))

    assert client.call("GET", "/rate-limits").status_code == 200


def test_a_challenge_is_used_once(service):
    client = Client(service)
    document = samples.signed_login(client.challenge()["challenge"])

    assert client.send_signed(document).status_code == 202
    assert code_of(client.send_signed(document)) == 21111


@pytest.mark.parametrize(("minutes", "status"), [(9.9, 202), (10.1, 400)])
def test_a_challenge_lives_ten_minutes(authority, service, minutes, status):
    client = Client(service)
    document = samples.signed_login(client.challenge()["challenge"])
    authority.pass_time(minutes=minutes)

    assert client.send_signed(document).status_code == status


def damaged(document: bytes, old: bytes, new: bytes) -> bytes:
    assert old in document
    return document.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b"5265877635</Nip>", b"5265877636</Nip>", 9105),
        (b"Z</xades:SigningTime>", b"z</xades:SigningTime>", 9105),
        (b"<ds:SignatureValue>", b"<ds:SignatureValue>AAAA", 9105),
        (b"#SignedProperties", b"#Other", 9105),
        (b"ds:Signature ", b"ds:Other ", 21001),
        (b"<Challenge>", b"<Challenge>\xff", 21217),
        (b"<ds:X509Certificate>", b"<ds:X509Certificate>AAAA", 21115),
    ],
)
def test_a_changed_login_is_refused(service, old, new, code):
    client = Client(service)
    document = damaged(samples.signed_login(client.challenge()["challenge"]), old, new)

    assert code_of(client.send_signed(document)) == code


def test_a_login_without_a_signature_is_refused(service):
    client = Client(service)
    unsigned = etree.tostring(samples.login_request(client.challenge()["challenge"]))

    assert code_of(client.send_signed(unsigned)) == 9102


@pytest.mark.skipif(not FOLDER.exists(), reason="no official schemas (set EINVOICE_NETWORKS)")
def test_a_login_that_is_not_valid_to_the_schema_is_refused(service):
    client = Client(service)
    document = samples.signed_login(client.challenge()["challenge"], ("Nip", "0000000000"))

    assert code_of(client.send_signed(document)) == 21401


def test_a_certificate_of_another_company_has_no_permissions(authority, service):
    client = Client(service, ("Nip", samples.BUYER))
    text = client.challenge()["challenge"]
    document = samples.signed_login(text, client.context, samples.seal_of(samples.SELLER))
    status = client.login_status(client.send_signed(document))["status"]

    assert (status["code"], status["details"]) == (415, ["Brak przypisanych uprawnień"])
    authority.grant(("Nip", samples.BUYER), ("Nip", samples.SELLER), "InvoiceRead")
    client.sign_in(samples.seal_of(samples.SELLER))
    refused = client.open()
    assert (refused.status_code, refused.json()["reasonCode"]) == (403, "missing-permissions")


def test_an_expired_certificate_is_refused(service):
    client = Client(service)
    seal = samples.seal_of(until=clock.now() - timedelta(days=1))
    document = samples.signed_login(client.challenge()["challenge"], seal=seal)
    status = client.login_status(client.send_signed(document))["status"]

    assert (status["code"], status["details"]) == (460, ["Nieważny certyfikat"])


def test_self_signed_certificates_are_for_the_test_environment(authority, service):
    client = Client(service)
    authority.production = True
    document = samples.signed_login(client.challenge()["challenge"])

    assert client.login_status(client.send_signed(document))["status"]["code"] == 460


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (lambda text, ms: f"{text}|{ms + 300_000}", "Nieprawidłowy czas tokena"),
        (lambda text, ms: f"{text}x|{ms}", "Nieprawidłowy token"),
        (lambda text, ms: text, "Nieprawidłowy token"),
    ],
)
def test_a_wrong_token_is_refused(authority, service, change, detail):
    client = Client(service)
    text = authority.issue_token(samples.SELLER)
    given = client.challenge()
    key = client.public_key(TOKENS)
    content = wrapped(key, change(text, given["timestampMs"]).encode())
    started = client.send_token(text, challenge=given["challenge"], encryptedToken=content)
    status = client.login_status(started)["status"]

    assert (status["code"], status["details"]) == (450, [detail])


def test_a_token_of_another_context_and_a_revoked_one_are_refused(authority, service):
    text = authority.issue_token(samples.SELLER)
    other = Client(service, ("Nip", samples.BUYER))
    assert "w kontekście" in str(other.login_status(other.send_token(text)))
    authority.ksef_tokens[text].status = "Revoked"
    client = Client(service)
    assert "Token unieważniony" in str(client.login_status(client.send_token(text)))


def test_tokens_are_redeemed_once_and_only_after_the_login(authority, service):
    authority.login_delay = timedelta(seconds=5)
    client = Client(service)
    started = client.send_signed(samples.signed_login(client.challenge()["challenge"]))
    token = started.json()["authenticationToken"]["token"]
    redeem = lambda: client.call("POST", "/auth/token/redeem", token=token)  # noqa: E731

    assert client.login_status(started)["status"]["code"] == 100
    assert code_of(redeem()) == 21301
    authority.pass_time(seconds=6)
    assert redeem().status_code == 200
    assert code_of(redeem()) == 21301


def test_each_kind_of_token_is_for_its_own_calls(client):
    for token in (client.refresh, client.authentication, "x", ""):
        assert client.call("GET", "/rate-limits", token=token).status_code == 401
    assert client.call("POST", "/auth/token/refresh").status_code == 401


def test_tokens_end(authority, client):
    authority.pass_time(minutes=15, seconds=1)
    assert client.call("GET", "/rate-limits").status_code == 401
    renewed = client.call("POST", "/auth/token/refresh", token=client.refresh).json()
    client.access = renewed["accessToken"]["token"]
    assert client.call("GET", "/rate-limits").status_code == 200
    authority.pass_time(days=7)
    assert client.call("POST", "/auth/token/refresh", token=client.refresh).status_code == 401


def test_a_login_that_is_revoked_ends_its_tokens(client):
    assert client.call("DELETE", "/auth/sessions/current").status_code == 204
    assert client.call("GET", "/rate-limits").status_code == 401
    assert client.call("POST", "/auth/token/refresh", token=client.refresh).status_code == 401


def test_a_login_is_for_the_addresses_of_its_policy(service, authority):
    client = Client(service)
    allowed = {"authorizationPolicy": {"allowedIps": {"ip4Addresses": ["10.0.0.1"]}}}
    started = client.send_token(authority.issue_token(samples.SELLER), **allowed)
    token = started.json()["authenticationToken"]["token"]
    refused = client.call("POST", "/auth/token/redeem", token=token)

    assert (refused.status_code, refused.json()["reasonCode"]) == (403, "ip-not-allowed")


# -- keys ------------------------------------------------------------------------------------------


def test_a_withdrawn_key_is_refused_and_its_successor_is_taken(authority, client):
    given = client.encryption()
    authority.keys.replace(SYMMETRIC, authority.now())

    assert code_of(client.open(encryption=given)) == 21470
    assert client.open().status_code == 201


def test_two_keys_are_valid_during_a_planned_change(authority, client):
    given = client.encryption()
    authority.keys.add(SYMMETRIC, authority.now() - timedelta(minutes=1))

    assert client.encryption()["publicKeyId"] != given["publicKeyId"]
    assert client.open(encryption=given).status_code == 201
    assert client.open().status_code == 201


def test_a_new_certificate_leaves_the_id_of_its_key(authority, client):
    before = client.public_key()
    authority.keys.certify_again(SYMMETRIC, authority.now())
    after = client.public_key()

    assert before["publicKeyId"] == after["publicKeyId"]
    assert before["certificateId"] != after["certificateId"]


def test_a_key_that_cannot_be_decrypted_fails_the_session(client):
    given = client.encryption() | {"encryptedSymmetricKey": "A" * 344}
    session = client.opened(encryption=given)

    assert client.call("GET", f"/sessions/{session}").json()["status"]["code"] == 415
    assert code_of(client.send(session, samples.fa3("A/1"))) == 21180


# -- sessions and invoices -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["systemCode", "schemaVersion", "value"])
def test_the_form_code_is_one_of_the_published_triples(client, name):
    wrong = {"systemCode": "FA (3)", "schemaVersion": "1-0E", "value": "FA"} | {name: "FA (1)"}

    assert code_of(client.open(formCode=wrong)) == 21405


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"encryptedInvoiceSize": 1}, 21402),
        ({"invoiceSize": 1}, 21402),
        ({"encryptedInvoiceHash": digest(b"")}, 21403),
        ({"invoiceHash": digest(b"")}, 21403),
        ({"encryptedInvoiceContent": "?"}, 21405),
        ({"hashOfCorrectedInvoice": digest(b"")}, 21405),
        ({"hashOfCorrectedInvoice": digest(b""), "offlineMode": True}, 21167),
    ],
)
def test_a_file_that_is_not_as_described_is_refused(client, changes, code):
    assert code_of(client.send(client.opened(), samples.fa3("A/1"), **changes)) == code


def test_an_invoice_is_processed_after_a_while(authority, client):
    authority.delay = timedelta(seconds=10)
    session = client.opened()
    sent = client.sent(session, samples.fa3("A/1"))
    codes = [sent["status"]["code"]]
    for _ in range(2):
        authority.pass_time(seconds=6)
        status = client.status(session, sent["referenceNumber"])
        codes.append(status["status"]["code"])

    assert codes == [100, 150, 200]
    number = status["ksefNumber"]
    assert f"{crc8(number[:-3]):02X}" == number[-2:]
    assert (len(number), number[:10]) == (35, samples.SELLER)


def test_what_cannot_be_decrypted_is_found_later(client):
    session = client.opened()
    content = of_another_key(client, b"<Faktura/>")
    changes = {
        "encryptedInvoiceContent": base64.b64encode(content).decode(),
        "encryptedInvoiceHash": digest(content),
        "encryptedInvoiceSize": len(content),
    }

    assert client.sent(session, samples.fa3("A/1"), **changes)["status"]["code"] == 435


def test_a_duplicate_names_the_original(client):
    first = client.opened()
    original = client.sent(first, samples.fa3("A/1"))
    status = client.sent(client.opened(), samples.fa3("A/1"))["status"]

    assert status["code"] == 440
    assert status["extensions"] == {
        "originalSessionReferenceNumber": first,
        "originalKsefNumber": original["ksefNumber"],
    }


def tomorrow():
    return (clock.now() + timedelta(days=2)).date()


GOOD = samples.fa3("A/1")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"<Faktura/>", 430),
        (b"not xml", 430),
        (b"\xef\xbb\xbf" + GOOD, 430),
        (GOOD.replace(b"UTF-8", b"ISO-8859-2"), 430),
        (GOOD.replace(b"<Faktura ", b"<?a b?><Faktura "), 430),
        (GOOD.replace(b"?>", b"?><!DOCTYPE Faktura>", 1), 430),
        (GOOD.replace("Usługa".encode(), b"\xc2\x84"), 430),
        (GOOD.replace(b"FA (3)", b"FA (2)"), 430),
        (samples.fa3("A/1", seller=samples.BUYER), 410),
        (samples.fa3("A/1", issued=tomorrow()), 450),
        (GOOD, 200),
    ],
)
def test_an_invoice_is_checked(client, document, code):
    if code == 430 and b"FA (2)" in document and not FOLDER.exists():
        pytest.skip("no official schemas (set EINVOICE_NETWORKS)")

    assert client.sent(client.opened(), document)["status"]["code"] == code


@pytest.mark.parametrize(("size", "code"), [(1_000_000, 200), (1_000_001, 430)])
def test_an_invoice_has_at_most_a_million_bytes(client, size, code):
    document = GOOD + b" " * (size - len(GOOD))

    assert client.sent(client.opened(), document)["status"]["code"] == code


@pytest.mark.parametrize(("production", "code"), [(False, 200), (True, 450)])
def test_check_digits_of_tax_numbers_are_for_production(authority, service, production, code):
    client = Client(service, ("Nip", "5265877636")).sign_in()
    authority.production = production

    assert (
        client.sent(client.opened(), samples.fa3("1", seller="5265877636"))["status"]["code"]
        == code
    )


def test_a_technical_correction_follows_a_rejected_offline_invoice_once(client):
    session = client.opened()
    wrong = b"<Faktura/>"
    client.sent(session, wrong, offlineMode=True)
    given = {"offlineMode": True, "hashOfCorrectedInvoice": digest(wrong)}

    assert client.sent(session, samples.fa3("A/1"), **given)["status"]["code"] == 200
    assert code_of(client.send(session, samples.fa3("A/2"), **given)) == 21166


def test_a_rejected_invoice_that_was_not_offline_has_no_technical_correction(client):
    session = client.opened()
    wrong = b"<Faktura/>"
    client.sent(session, wrong)
    given = {"offlineMode": True, "hashOfCorrectedInvoice": digest(wrong)}

    assert code_of(client.send(session, samples.fa3("A/1"), **given)) == 21167


@pytest.mark.parametrize(("days", "mode"), [(0, "Online"), (1, "Offline")])
def test_an_invoice_of_an_earlier_day_is_offline_whatever_was_declared(client, days, mode):
    """Guide automatyczne-okreslanie-trybu-offline.md."""
    session = client.opened()
    today = clock.now().astimezone(WARSAW).date()
    client.sent(session, samples.fa3("A/1", issued=today - timedelta(days=days)))
    [listed] = client.call("GET", f"/sessions/{session}/invoices").json()["invoices"]

    assert listed["invoicingMode"] == mode


def test_a_session_ends_after_twelve_hours(authority, client):
    session = client.opened()
    authority.pass_time(hours=12)
    client.sign_in()

    assert code_of(client.send(session, samples.fa3("A/1"))) == 21180
    status = client.call("GET", f"/sessions/{session}").json()["status"]
    assert (status["code"], status["details"]) == (440, ["Nie przesłano faktur"])


def test_a_session_of_another_context_is_not_found(client, service):
    session = client.opened()
    other = Client(service, ("Nip", samples.BUYER)).sign_in()

    assert code_of(other.call("GET", f"/sessions/{session}")) == 21173
    assert code_of(other.send(session, samples.fa3("A/1"))) == 21173


def test_a_session_without_a_correct_invoice_has_no_upo(client):
    session = client.opened()
    client.sent(session, b"<Faktura/>")
    client.call("POST", f"/sessions/online/{session}/close")
    status = client.call("GET", f"/sessions/{session}").json()

    assert status["status"]["code"] == 445
    assert "upo" not in status
    failed = client.call("GET", f"/sessions/{session}/invoices/failed").json()["invoices"]
    assert [each["status"]["code"] for each in failed] == [430]


def test_lists_have_pages(client):
    session = client.opened()
    for number in range(12):
        client.send(session, samples.fa3(f"A/{number}"))
    path = f"/sessions/{session}/invoices"
    first = client.call("GET", path).json()
    token = {"x-continuation-token": first["continuationToken"]}
    second = client.call("GET", path, headers=token).json()

    assert [len(first["invoices"]), len(second["invoices"])] == [10, 2]
    assert "continuationToken" not in second
    wrong = {"x-continuation-token": "?"}
    assert code_of(client.call("GET", path, headers=wrong)) == 21418


def test_pef_is_for_providers_with_a_grant(client):
    pef = {"systemCode": "PEF (3)", "schemaVersion": "2-1", "value": "PEF"}
    refused = client.open(formCode=pef)

    assert refused.json()["reasonCode"] == "context-type-not-allowed"


# -- UPO and links ---------------------------------------------------------------------------------


@pytest.mark.skipif(not FOLDER.exists(), reason="no official schemas (set EINVOICE_NETWORKS)")
def test_a_upo_is_valid_but_for_the_name_of_the_test_environment(client):
    session = client.opened()
    status = client.sent(session, samples.fa3("A/1"))
    client.call("POST", f"/sessions/online/{session}/close")
    page = client.call("GET", f"/sessions/{session}").json()["upo"]["pages"][0]
    schema = schema_at(FOLDER / "xsd-upo" / "schemy" / "upo-v4-3.xsd")
    for url in (status["upoDownloadUrl"], page["downloadUrl"]):
        response = client.call("GET", url, token="")
        root = etree.fromstring(response.content)
        xades.verify(root)
        plain = xades.without_signature(root)

        assert response.headers["x-ms-meta-hash"] == digest(response.content)
        assert "Ministerstwo" in (fault_of(schema, plain) or "")
        plain[0].text = "Ministerstwo Finansów"
        assert fault_of(schema, plain) is None
        assert plain.findtext("{*}Dokument/{*}SkrotDokumentu") == status["invoiceHash"]


def test_a_link_expires_and_refuses_a_bearer_token(authority, client):
    session = client.opened()
    status = client.sent(session, samples.fa3("A/1"))
    url = status["upoDownloadUrl"]

    assert client.call("GET", url).status_code == 403
    assert client.call("GET", url, token="").status_code == 200
    again = client.status(session, status["referenceNumber"])["upoDownloadUrl"]
    assert again != url
    authority.pass_time(hours=2)
    assert client.call("GET", url, token="").status_code == 403


# -- limits and errors -----------------------------------------------------------------------------


@needed
def test_too_many_requests_wait(authority, service, client):
    authority.use_production_limits()
    session = client.opened()
    responses = [client.call("GET", f"/sessions/{session}/invoices") for _ in range(11)]
    refused = responses[-1]

    assert [each.status_code for each in responses] == [200] * 10 + [429]
    assert refused.headers["Retry-After"] == "1"
    assert refused.json()["status"]["code"] == 429
    authority.pass_time(seconds=1)
    assert client.call("GET", f"/sessions/{session}/invoices").status_code == 200
    problem = {"X-Error-Format": "problem-details"}
    for _ in range(20):
        last = client.call("GET", f"/sessions/{session}/invoices", headers=problem)
    assert last.headers["content-type"] == "application/problem+json"
    assert judging.faults(service.exchanges) == []


def test_limits_are_of_a_context(authority, service, client):
    authority.use_production_limits()
    session = client.opened()
    for _ in range(11):
        client.call("GET", f"/sessions/{session}/invoices")
    other = Client(service, ("Nip", samples.BUYER)).sign_in()

    path = f"/sessions/{other.opened()}/invoices"
    assert other.call("GET", path).status_code == 200


@needed
def test_errors_have_both_forms(service, client):
    problem = {"X-Error-Format": "problem-details"}
    path = "/sessions/20260101-SO-0000000000-0000000000-00"
    plain, detailed = client.call("GET", path), client.call("GET", path, headers=problem)

    assert code_of(plain) == detailed.json()["errors"][0]["code"] == 21173
    assert judging.faults(service.exchanges) == []


def test_a_warning_and_an_unknown_member_come_with_any_answer(authority, client, service):
    authority.warning, authority.unknown_members = "[W1]: a message", True
    response = client.call("GET", "/rate-limits")

    assert response.headers["X-System-Warning"] == "[W1]: a message"
    assert "futureMember" in response.json()
    service.exchanges.clear()


def test_the_texts_are_the_published_ones():
    import csv

    from tests.networks.ksef import answers, texts

    if not FOLDER.exists():
        pytest.skip("no official codes (set EINVOICE_NETWORKS)")
    with (FOLDER / "exception-codes.csv").open(encoding="utf-8") as lines:
        codes = {int(row["code"]): row["text"] for row in csv.DictReader(lines)}
    with (FOLDER / "status-codes.csv").open(encoding="utf-8") as lines:
        statuses = {(int(row["code"]), row["text"]) for row in csv.DictReader(lines)}

    assert {code: codes[code] for code in answers.TEXTS} == answers.TEXTS
    for table in (texts.LOGIN, texts.ONLINE, texts.BATCH, texts.INVOICE, texts.EXPORT):
        assert set(table.items()) <= statuses
