"""Batches, queries, exports and calls of the test environment of the stand-in for KSeF."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from datetime import timedelta

import pytest

from einvoice import clock
from tests.networks.ksef import judging, packages, samples
from tests.networks.ksef.answers import shown
from tests.networks.ksef.client import FA3, Client, code_of, of_another_key
from tests.networks.ksef.keys import digest
from tests.networks.ksef.sessions import decrypted, encrypted


@pytest.fixture
def client(service):
    return Client(service).sign_in()


@pytest.fixture
def buyer(service):
    return Client(service, ("Nip", samples.BUYER)).sign_in()


def judged(service):
    return judging.faults(service.exchanges) if judging.DOCUMENT.exists() else []


# -- batches ---------------------------------------------------------------------------------------


def batch(client, archive, parts=1, **changes):
    """Open a batch of an archive; the response, and the encrypted parts."""
    size = -(-len(archive) // parts)
    plain = [archive[at : at + size] for at in range(0, len(archive), size)]
    sent = [encrypted(each, client.key, client.vector) for each in plain]
    described = [
        {"ordinalNumber": n, "fileSize": len(each), "fileHash": digest(each)}
        for n, each in enumerate(sent, 1)
    ]
    file = {"fileSize": len(archive), "fileHash": digest(archive), "fileParts": described}
    values = {
        "formCode": FA3,
        "batchFile": file | changes,
        "encryption": client.encryption(),
    }
    return client.call("POST", "/sessions/batch", values), sent


def upload(client, opened, sent):
    for request, content in zip(opened["partUploadRequests"], sent, strict=True):
        response = client.call(
            request["method"], request["url"], token="", data=content, headers=request["headers"]
        )
        assert response.status_code == 201


def closed(client, archive, parts=1, **changes):
    """The status of a batch that was sent."""
    response, sent = batch(client, archive, parts, **changes)
    opened = response.json()
    upload(client, opened, sent)
    number = opened["referenceNumber"]
    assert client.call("POST", f"/sessions/batch/{number}/close").status_code == 204
    return client.call("GET", f"/sessions/{number}").json(), number


def files(count):
    return {f"{n}.xml": samples.fa3(f"B/{n}") for n in range(count)}


@pytest.mark.parametrize("compression", ["Zip", "TarGz"])
def test_a_batch_is_processed(service, client, compression):
    """In parts; one invoice of it is wrong."""
    archive = packages.packed(files(4) | {"wrong.xml": b"<Faktura/>"}, compression)
    status, number = closed(client, archive, 3, compressionType=compression)
    listed = client.call("GET", f"/sessions/{number}/invoices").json()["invoices"]

    assert status["status"]["code"] == 200
    assert (status["invoiceCount"], status["failedInvoiceCount"]) == (5, 1)
    assert [each["status"]["code"] for each in listed] == [200] * 4 + [430]
    assert [each["invoiceFileName"] for each in listed][-1] == "wrong.xml"
    assert status["upo"]["pages"]
    assert judged(service) == []


@pytest.mark.parametrize(
    ("archive", "changes", "code"),
    [
        (b"no archive", {}, 430),
        (packages.packed(files(1)), {"fileSize": 1}, 405),
        (packages.packed(files(1)), {"fileHash": digest(b"")}, 405),
        (packages.packed({"a.xml": b"<Faktura/>"}), {}, 445),
    ],
)
def test_a_batch_that_is_not_as_described_fails(client, archive, changes, code):
    assert closed(client, archive, **changes)[0]["status"]["code"] == code


def test_a_batch_of_another_key_is_not_decrypted(client):
    content = of_another_key(client, bytes(100))
    part = {"ordinalNumber": 1, "fileSize": len(content), "fileHash": digest(content)}
    response, _ = batch(client, packages.packed(files(1)), fileParts=[part])
    upload(client, response.json(), [content])
    number = response.json()["referenceNumber"]
    client.call("POST", f"/sessions/batch/{number}/close")

    assert client.call("GET", f"/sessions/{number}").json()["status"]["code"] == 435


def test_a_batch_that_was_not_uploaded_is_not_closed(client):
    archive = packages.packed(files(1))
    number = batch(client, archive)[0].json()["referenceNumber"]
    assert code_of(client.call("POST", f"/sessions/batch/{number}/close")) == 21205
    response, sent = batch(client, archive)
    upload(client, response.json(), [sent[0][:-1]])
    number = response.json()["referenceNumber"]
    assert code_of(client.call("POST", f"/sessions/batch/{number}/close")) == 21157


def test_a_batch_that_is_uploaded_too_slowly_is_cancelled(authority, client):
    number = batch(client, packages.packed(files(1)))[0].json()["referenceNumber"]
    authority.pass_time(minutes=20)
    client.sign_in()
    status = client.call("GET", f"/sessions/{number}").json()["status"]

    assert (status["code"], status["details"]) == (440, ["Przekroczono czas wysyłki"])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"fileParts": [{"ordinalNumber": 2, "fileSize": 1, "fileHash": digest(b"")}]}, 21405),
        (
            {"fileParts": [{"ordinalNumber": 1, "fileSize": 10**9, "fileHash": digest(b"")}]},
            21157,
        ),
        (
            {
                "fileParts": [
                    {"ordinalNumber": n, "fileSize": 1, "fileHash": digest(b"")}
                    for n in range(1, 52)
                ]
            },
            21161,
        ),
    ],
)
def test_a_batch_has_parts_within_bounds(client, changes, code):
    assert code_of(batch(client, packages.packed(files(1)), **changes)[0]) == code


def test_a_part_is_uploaded_by_its_link_and_with_its_headers(client):
    response, sent = batch(client, packages.packed(files(1)))
    (given,) = response.json()["partUploadRequests"]

    assert client.call("PUT", given["url"], data=sent[0]).status_code == 403
    assert client.call("PUT", given["url"], token="", data=sent[0]).status_code == 400
    assert client.call("GET", given["url"], token="").status_code == 403


def test_attachments_need_a_batch_and_the_right(authority, client):
    with_attachment = samples.fa3("Z/1", attachment=True)
    assert client.sent(client.opened(), with_attachment)["status"]["code"] == 415
    archive = packages.packed({"z.xml": with_attachment})
    assert closed(client, archive)[0]["status"]["code"] == 445
    client.call("POST", "/testdata/attachment", {"nip": samples.SELLER}, token="")
    assert closed(client, archive)[0]["status"]["code"] == 200


# -- queries ---------------------------------------------------------------------------------------


def arrived(client, count, start=0, **given):
    """Send invoices; their numbers."""
    session = client.opened()
    return [
        client.sent(session, samples.fa3(f"Q/{start + n}", **given))["ksefNumber"]
        for n in range(count)
    ]


def query(client, role="Subject2", path="", **changes):
    dates = {"dateType": "PermanentStorage", "from": shown(clock.now() - timedelta(days=1))}
    values = {"subjectType": role, "dateRange": dates | changes}
    return client.call("POST", f"/invoices/query/metadata{path}", values)


def test_metadata_are_found_by_role_in_their_order(service, client, buyer):
    numbers = arrived(client, 12)
    first, second = (query(buyer, path=f"?pageSize=10&pageOffset={n}").json() for n in (0, 1))

    assert [each["ksefNumber"] for each in first["invoices"] + second["invoices"]] == numbers
    assert (first["hasMore"], second["hasMore"], second["isTruncated"]) == (True, False, False)
    assert len(query(client, "Subject1").json()["invoices"]) == 10
    assert query(client, "Subject2").json()["invoices"] == []
    descending = query(buyer, path="?sortOrder=Desc").json()["invoices"]
    assert descending[0]["ksefNumber"] == numbers[-1]
    assert judged(service) == []


def test_metadata_are_what_the_invoice_says(client, buyer):
    arrived(client, 1, third="5555555555")
    (found,) = query(buyer).json()["invoices"]

    assert (found["grossAmount"], found["netAmount"], found["vatAmount"]) == (123.0, 100.0, 23.0)
    assert found["seller"] == {"nip": samples.SELLER, "name": "Sprzedawca"}
    assert found["buyer"]["identifier"] == {"type": "Nip", "value": samples.BUYER}
    assert found["thirdSubjects"][0]["identifier"]["value"] == "5555555555"
    third = Client(client.service, ("Nip", "5555555555")).sign_in()
    assert len(query(third, "Subject3").json()["invoices"]) == 1


def test_the_high_water_mark_limits_a_query(authority, client, buyer):
    """An invoice that is stored behind the mark is found, where the query is not limited."""
    authority.lag = timedelta(minutes=5)
    arrived(client, 1)
    unlimited = query(buyer).json()
    limited = query(buyer, restrictToPermanentStorageHwmDate=True).json()

    assert (len(unlimited["invoices"]), len(limited["invoices"])) == (1, 0)
    assert limited["permanentStorageHwmDate"] < shown(clock.now() - timedelta(minutes=4))
    since = shown(authority.now())
    refused = query(buyer, **{"from": since, "restrictToPermanentStorageHwmDate": True})
    assert code_of(refused) == 21183
    authority.pass_time(minutes=6)
    assert len(query(buyer, restrictToPermanentStorageHwmDate=True).json()["invoices"]) == 1


@pytest.mark.parametrize(("days", "status"), [(100, 200), (101, 400)])
def test_a_range_has_at_most_a_hundred_days(client, days, status):
    now = clock.now()
    since, until = shown(now - timedelta(days=days)), shown(now)

    assert query(client, **{"from": since, "to": until}).status_code == status


def test_a_long_result_is_truncated(authority, client, buyer):
    authority.query_most = 11
    numbers = arrived(client, 13)
    pages = [query(buyer, path=f"?pageOffset={n}").json() for n in (0, 1)]
    found = [each["ksefNumber"] for page in pages for each in page["invoices"]]

    assert found == numbers[:11]
    assert [(p["hasMore"], p["isTruncated"]) for p in pages] == [(True, False), (True, True)]


def test_an_invoice_is_downloaded_by_its_parties_when_it_is_stored(
    authority, service, client, buyer
):
    authority.storage_delay = timedelta(seconds=10)
    session = client.opened()
    document = samples.fa3("D/1")
    number = client.sent(session, document)["ksefNumber"]
    path = f"/invoices/ksef/{number}"

    assert code_of(buyer.call("GET", path)) == 21165
    authority.pass_time(seconds=11)
    response = buyer.call("GET", path)
    assert response.content == document
    assert response.headers["x-ms-meta-hash"] == digest(document)
    other = Client(service, ("Nip", "5555555555")).sign_in()
    assert code_of(other.call("GET", path)) == 21164
    assert judged(service) == []


# -- exports ---------------------------------------------------------------------------------------


def export(client, **changes):
    dates = {"dateType": "PermanentStorage", "from": shown(clock.now() - timedelta(days=1))}
    filters = {"subjectType": "Subject2", "dateRange": dates}
    values = {"encryption": client.encryption(), "filters": filters} | changes
    return client.call("POST", "/invoices/exports", values)


def unpacked(client, package):
    parts = sorted(package["parts"], key=lambda each: each["ordinalNumber"])
    plain = b""
    for part in parts:
        content = client.call(part["method"], part["url"], token="").content
        assert digest(content) == part["encryptedPartHash"]
        plain += decrypted(content, client.key, client.vector)
    with zipfile.ZipFile(io.BytesIO(plain)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_export_has_the_invoices_and_their_metadata(
    authority, service, client, buyer, monkeypatch
):
    monkeypatch.setattr("tests.networks.ksef.queries.PART_BYTES", 1000)
    numbers = arrived(client, 3)
    authority.delay = timedelta(seconds=5)
    number = export(buyer).json()["referenceNumber"]
    path = f"/invoices/exports/{number}"
    assert buyer.call("GET", path).json()["status"]["code"] == 100
    authority.pass_time(seconds=5)
    package = buyer.call("GET", path).json()["package"]
    found = unpacked(buyer, package)

    assert len(package["parts"]) > 1
    assert package["invoiceCount"] == 3
    assert set(found) == {"_metadata.json", *(f"{each}.xml" for each in numbers)}
    listed = json.loads(found["_metadata.json"])["invoices"]
    assert [each["ksefNumber"] for each in listed] == numbers
    assert [digest(found[f"{e['ksefNumber']}.xml"]) for e in listed] == [
        each["invoiceHash"] for each in listed
    ]
    assert judged(service) == []


def test_a_long_export_is_truncated(authority, client, buyer):
    authority.export_most = 2
    arrived(client, 3)
    number = export(buyer).json()["referenceNumber"]
    package = buyer.call("GET", f"/invoices/exports/{number}").json()["package"]

    assert (package["isTruncated"], package["invoiceCount"]) == (True, 2)
    assert package["lastPermanentStorageDate"] <= package["permanentStorageHwmDate"]


def test_an_export_is_kept_for_seven_days_and_for_its_context(authority, client, buyer):
    number = export(buyer).json()["referenceNumber"]
    path = f"/invoices/exports/{number}"

    assert code_of(client.call("GET", path)) == 21175
    authority.pass_time(days=7, seconds=1)
    buyer.sign_in()
    assert buyer.call("GET", path).status_code == 410


def test_ten_exports_run_at_once(authority, buyer):
    authority.delay = timedelta(minutes=1)
    responses = [export(buyer) for _ in range(11)]

    assert [each.status_code for each in responses] == [201] * 10 + [400]
    assert code_of(responses[-1]) == 21182


# -- the test environment --------------------------------------------------------------------------


@pytest.mark.skipif(not judging.DOCUMENT.exists(), reason="no interface (set EINVOICE_NETWORKS)")
def test_calls_of_test_data_keep_the_published_interface(service, client):
    nip, pesel = "5555555555", "88102341294"
    call = lambda path, values: client.call("POST", f"/testdata{path}", values, token="")  # noqa: E731
    subject = {"subjectNip": nip, "subjectType": "VatGroup", "description": "a group"}
    person = {"nip": samples.BUYER, "pesel": pesel, "isBailiff": False, "description": "a person"}
    pair = {
        "contextIdentifier": {"type": "Nip", "value": nip},
        "authorizedIdentifier": {"type": "Nip", "value": samples.SELLER},
    }
    listed = [{"permissionType": "InvoiceWrite", "description": "to write"}]

    assert call("/subject", subject).status_code == 200
    assert code_of(call("/subject", subject)) == 30001
    assert call("/person", person).status_code == 200
    assert call("/permissions", pair | {"permissions": listed}).status_code == 200
    other = Client(service, ("Nip", nip)).sign_in(samples.seal_of(samples.SELLER))
    granted = other.call("POST", "/permissions/query/personal/grants", {}).json()["permissions"]
    assert [each["permissionScope"] for each in granted] == ["InvoiceWrite"]
    assert call("/permissions/revoke", pair).status_code == 200
    assert call("/subject/remove", {"subjectNip": nip}).status_code == 200
    assert call("/person/remove", {"nip": samples.BUYER}).status_code == 200
    assert call("/attachment/revoke", {"nip": nip}).status_code == 200
    assert client.call("POST", "/testdata/rate-limits/production").status_code == 200
    limits = client.call("GET", "/rate-limits").json()
    assert limits["invoiceSend"] == {"perSecond": 10, "perMinute": 30, "perHour": 180}
    assert client.call("POST", "/testdata/rate-limits", {"rateLimits": limits}).status_code == 200
    assert client.call("DELETE", "/testdata/rate-limits").status_code == 200
    assert judged(service) == []


def test_production_has_no_test_data(authority, client, service):
    authority.production = True
    response = client.call("POST", "/testdata/attachment", {"nip": samples.SELLER}, token="")

    assert response.status_code == 404
    service.exchanges.clear()


def test_a_blocked_context_cannot_log_in(client):
    context = {"contextIdentifier": {"type": "Nip", "value": samples.SELLER}}
    client.call("POST", "/testdata/context/block", context, token="")
    text = client.challenge()["challenge"]
    started = client.send_signed(samples.signed_login(text))

    assert client.login_status(started)["status"]["code"] == 480
    client.call("POST", "/testdata/context/unblock", context, token="")
    client.sign_in()


def test_a_provider_sends_pef_with_the_grant_of_the_seller(authority, service, client):
    """The provider is known from its first login."""
    provider = Client(service, ("PeppolId", "PPL123456"))
    seal = samples.provider_seal("PPL123456")
    grant = {
        "subjectIdentifier": {"type": "PeppolId", "value": "PPL123456"},
        "permission": "PefInvoicing",
        "description": "to send invoices",
        "subjectDetails": {"fullName": "A provider"},
    }

    def granted():
        made = client.call("POST", "/permissions/authorizations/grants", grant).json()
        path = f"/permissions/operations/{made['referenceNumber']}"
        return client.call("GET", path).json()["status"]["code"]

    assert granted() == 410
    provider.sign_in(seal)
    pef = {"systemCode": "PEF (3)", "schemaVersion": "2-1", "value": "PEF"}
    document = samples.pef("P/1")
    session = provider.opened(formCode=pef)
    assert provider.sent(session, document)["status"]["code"] == 410
    assert granted() == 200
    assert provider.sent(session, document)["status"]["code"] == 200
    assert provider.open(formCode=FA3).json()["reasonCode"] == "context-type-not-allowed"
    assert judged(service) == []


def test_permissions_are_listed_to_those_that_gave_and_those_that_got_them(
    authority, service, client
):
    provider = Client(service, ("PeppolId", "PPL123456")).sign_in(
        samples.provider_seal("PPL123456")
    )
    seller = {"type": "Nip", "value": samples.SELLER}
    received = {"queryType": "Received", "authorizingIdentifier": seller}
    path = "/permissions/query/authorizations/grants"

    def listed(caller, body):
        found = caller.call("POST", path, body).json()["authorizationGrants"]
        return [(each["authorizationScope"], each["authorizingEntityIdentifier"]) for each in found]

    assert listed(provider, received) == []
    for permission in ("PefInvoicing", "SelfInvoicing"):
        authority.grant(("Nip", samples.SELLER), ("PeppolId", "PPL123456"), permission)
    pef = received | {"permissionTypes": ["PefInvoicing"]}
    assert listed(provider, pef) == [("PefInvoicing", seller)]
    other = pef | {"authorizingIdentifier": {"type": "Nip", "value": samples.BUYER}}
    assert listed(provider, other) == []
    assert len(listed(client, {"queryType": "Granted"})) == 2
    assert listed(client, {"queryType": "Received"}) == []
    assert judged(service) == []
    assert code_of(provider.call("POST", path, {"queryType": "All"})) == 21405


def test_the_vector_of_a_key_has_sixteen_bytes(client):
    short = client.encryption() | {"initializationVector": base64.b64encode(b"1").decode()}

    assert code_of(client.open(encryption=short)) == 21405
