"""Logins by token and by certificate, the ministry's keys, and the renewal of tokens."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import NeedsPerson, NotChecked, Works
from einvoice.network.types import Blocked
from einvoice_ksef import answers, xades
from einvoice_ksef.identity import Identity, InvalidIdentity, loaded
from einvoice_ksef.keys import Keys, NoKey, PublicKey, Usage, chosen
from einvoice_ksef.tokens import ACCESS, REFRESH, SECRET
from einvoice_ksef.xades import Context
from plugins.ksef.tests import company, official
from tests.memory_store import MemoryStore
from tests.networks.ksef import samples, texts

CHALLENGE = "20250514-CR-226FB7B000-3ACF9BE4C0-10"
XMLSEC = shutil.which("xmlsec1")
KEYS = {
    "rsa-2048": lambda: rsa.generate_private_key(65537, 2048),
    "p-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p-521": lambda: ec.generate_private_key(ec.SECP521R1()),
}


def signed_by(key, nip="1111111111"):
    key, certificate = samples.seal_of(nip, key)
    identity = Identity(certificate, key)
    request = xades.request(CHALLENGE, (Context.NIP, nip))
    return identity, xades.signed(request, identity, datetime(2026, 11, 22, tzinfo=UTC))


def is_verified(document, certificate, folder):
    """Whether xmlsec1 takes the signature."""
    file, signer = folder / "signed.xml", folder / "signer.pem"
    file.write_bytes(document)
    signer.write_bytes(certificate.public_bytes(Encoding.PEM))
    options = ["--pubkey-cert-pem", str(signer), "--id-attr:Id", "SignedProperties"]
    made = subprocess.run([XMLSEC, "--verify", *options, str(file)], capture_output=True)
    return made.returncode == 0


@pytest.mark.skipif(XMLSEC is None, reason="xmlsec1 is not installed")
@pytest.mark.parametrize("kind", KEYS)
def test_the_signature_is_taken_by_another_implementation(kind, tmp_path):
    """And a changed document is not."""
    identity, document = signed_by(KEYS[kind]())
    changed = document.replace(b"<Nip>1111111111<", b"<Nip>1111111112<")
    later = document.replace(b"2026-11-22T", b"2026-11-23T")

    assert is_verified(document, identity.certificate, tmp_path)
    assert changed != document
    assert not is_verified(changed, identity.certificate, tmp_path)
    assert later != document
    assert not is_verified(later, identity.certificate, tmp_path)


def test_exclusive_canonicalization_is_not_used():
    """Validators refuse signed properties of that form (EU DSS: HASH_FAILURE)."""
    _, document = signed_by(KEYS["p-256"]())
    named = {each.get("Algorithm") for each in etree.fromstring(document).iter("{*}Transform")}

    assert b"xml-exc-c14n" not in document
    assert named == {xades.C14N, xades.ENVELOPED}


def test_both_references_name_their_canonical_form():
    _, document = signed_by(KEYS["p-256"]())
    references = list(etree.fromstring(document).iter("{*}Reference"))

    assert [each.get("URI") for each in references] == ["", "#signed-properties"]
    for each in references:
        assert list(each.iter("{*}Transform"))[-1].get("Algorithm") == xades.C14N


@official.needed
@pytest.mark.parametrize(
    "context", [(Context.NIP, "5265877635"), (Context.INTERNAL_ID, "5265877635-00001")]
)
@pytest.mark.parametrize("subject", xades.Subject)
def test_the_request_is_valid_to_the_official_schema(context, subject):
    request = xades.request(CHALLENGE, context, subject)
    file = official.FOLDER / "xsd-auth" / "schemy" / "schemat_auth_v2-1.xsd"

    etree.XMLSchema(etree.parse(str(file))).assertValid(etree.fromstring(request))


def test_the_request_is_written_in_canonical_form():
    request = xades.request(CHALLENGE, (Context.NIP, "<&>"))

    assert etree.tostring(etree.fromstring(request), method="c14n").decode() == request


# -- the two ways ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rsa-2048", "p-256"])
@pytest.mark.parametrize("files", [company.in_pkcs12, company.in_pem])
def test_a_certificate_logs_in(point, kind, files):
    """In PKCS#12 and in PEM, by RSA and by EC."""
    key, certificate = samples.seal_of(company.SELLER, KEYS[kind]())
    connection = company.connected(point, files(key, certificate))

    assert connection.credentials[ACCESS]
    assert company.sent(company.bound(point, connection), company.envelope()).evidence


def test_a_connection_ends_with_its_certificate(point):
    until = clock.now().replace(microsecond=0) + timedelta(days=100)
    key, certificate = samples.seal_of(company.SELLER, KEYS["p-256"](), until)
    outcome = point.open(company.new_connection(company.in_pem(key, certificate)))

    assert outcome.expires_at == until


@pytest.mark.parametrize(
    ("issued", "end"),
    [("20261231", date(2027, 11, 30)), ("20270101", None)],
)
def test_a_connection_ends_with_tokens(point, authority, issued, end):
    """By the table of their ends; nothing is known of those that are issued later."""
    made = authority.issue_token(company.SELLER)
    token = issued + made[len(issued) :]
    authority.ksef_tokens[token] = authority.ksef_tokens.pop(made)
    outcome = point.open(company.new_connection({"token": token}))

    assert (outcome.expires_at and outcome.expires_at.date()) == end


def test_the_id_of_the_key_is_sent(point, service, authority):
    company.connected(point, {"token": authority.issue_token(company.SELLER)})
    [login] = service.named("POST /auth/ksef-token")

    assert login.request.json()["publicKeyId"]


def test_a_login_uses_little_of_our_time(point, authority):
    """Under 20 ms of CPU, the stand-in's own included in the same process."""
    identity, _ = signed_by(KEYS["rsa-2048"]())
    begun, count = time.process_time(), 20
    for _ in range(count):
        xades.signed(xades.request(CHALLENGE, (Context.NIP, "1")), identity, clock.now())

    assert (time.process_time() - begun) / count < 0.02


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Give a KSeF token"),
        ({"token": " "}, "Give a KSeF token"),
        ({"certificate": "###"}, "base64"),
        ({"certificate": base64.b64encode(b"nothing").decode()}, "neither PEM nor PKCS#12"),
        ({"token": "20260401-EC-0123456789-0123456789-00|nip-1|x"}, "KSeF refuses the login"),
    ],
)
def test_wrong_credentials_are_named(point, given, words):
    outcome = point.open(company.new_connection(given))

    assert isinstance(outcome, NeedsPerson)
    assert words in outcome.reason


def test_a_wrong_password_is_named(point):
    key, certificate = samples.seal_of()
    given = company.in_pkcs12(key, certificate) | {"password": "another"}

    assert "password" in point.open(company.new_connection(given)).reason


def test_an_account_that_is_not_a_nip_needs_a_person(point, authority):
    given = {"token": authority.issue_token(company.SELLER)}

    assert isinstance(point.open(company.new_connection(given, nip="PL12")), NeedsPerson)


def test_the_right_to_send_is_named_at_once_where_it_is_missing(point, authority):
    given = {"token": authority.issue_token(company.SELLER, "InvoiceRead", "CredentialsRead")}
    outcome = point.open(company.new_connection(given))

    assert isinstance(outcome, NeedsPerson)
    assert "no right InvoiceWrite" in outcome.reason


def test_an_unreachable_network_says_nothing_about_an_account(connection):
    point = company.point_at("http://127.0.0.1:9/v2")

    assert isinstance(point.open(connection), NotChecked)
    assert isinstance(point.check(connection), NotChecked)


# -- renewal ---------------------------------------------------------------------------------------


def test_a_check_refreshes_the_access_token_without_a_login(point, service, connection):
    logins = len(service.named("POST /auth/ksef-token"))
    again = renewed(connection, point.check(connection))

    assert again.credentials[ACCESS] != connection.credentials[ACCESS]
    assert again.credentials[REFRESH] == connection.credentials[REFRESH]
    assert again.credentials[SECRET] == connection.credentials[SECRET]
    assert len(service.named("POST /auth/ksef-token")) == logins


def test_a_check_logs_in_where_the_refresh_token_ends_soon(point, service, connection):
    """Without a person, at the latest every seven days."""
    ends = (clock.now() + timedelta(hours=23)).isoformat()
    outcome = point.check(replace(connection, state={**connection.state, "refreshEnds": ends}))

    assert isinstance(outcome, Works)
    assert len(service.named("POST /auth/ksef-token")) == 2
    assert outcome.credentials[SECRET] == connection.credentials[SECRET]


def test_a_revoked_refresh_token_leads_to_a_login(point, authority, connection):
    authority.pass_time(days=8)

    assert isinstance(point.check(connection), Works)


def test_an_access_token_that_has_ended_is_renewed_by_a_send(point, service, authority, connection):
    authority.pass_time(minutes=20)
    one = company.envelope()

    assert company.sent(company.bound(point, connection), one).evidence
    assert service.named("POST /auth/token/refresh")


def test_an_access_token_that_ends_soon_is_renewed_before_a_send(point, service, connection):
    """By `validUntil`: no call is made with a token that is about to end."""
    ends = (clock.now() + timedelta(seconds=10)).isoformat()
    old = replace(connection, state={**connection.state, "accessEnds": ends})
    company.sent(company.bound(point, old), company.envelope())

    assert service.named("POST /auth/token/refresh")
    assert not [each for each in service.exchanges if each.answer.status == 401]


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_wrong_clock_of_ours_does_not_matter_for_a_login(point, authority, minutes):
    """The time in the token is that of the challenge."""
    authority.pass_time(minutes=minutes)
    given = {"token": authority.issue_token(company.SELLER)}

    assert isinstance(point.open(company.new_connection(given)), Works)
    key, certificate = samples.seal_of()
    assert isinstance(point.open(company.new_connection(company.in_pem(key, certificate))), Works)


@pytest.mark.parametrize("status", [415, 425, 450, 460, 470, 480, 500, 550])
def test_a_login_that_the_network_refuses_is_a_matter_of_the_person_or_of_time(
    point, authority, monkeypatch, status
):
    """By the table of statuses."""
    given = {"token": authority.issue_token(company.SELLER)}
    row = next(r for r in answers.STATUSES if (r.area, r.code) == (answers.Area.LOGIN, status))
    said = answer_of(
        {"status": {"code": status, "description": row.text, "details": [row.details]}}
    )
    real = point.api.call

    def call(method, path, *arguments, **further):
        return said if path.startswith("auth/2") else real(method, path, *arguments, **further)

    monkeypatch.setattr(point.api, "call", call)
    outcome = point.open(company.new_connection(given))

    expected = NotChecked if row.kind is answers.Kind.RETRY else NeedsPerson
    assert isinstance(outcome, expected)
    assert row.text.partition(":")[0] in outcome.reason


@pytest.mark.parametrize("in_english", [False, True])
def test_a_revoked_token_needs_a_person_in_either_language(point, authority, in_english):
    given = {"token": authority.issue_token(company.SELLER)}
    authority.ksef_tokens[given["token"]].status = "Revoked"
    authority.in_english = in_english

    assert isinstance(point.open(company.new_connection(given)), NeedsPerson)


def test_a_refusal_for_an_unknown_reason_that_lasts_asks_a_person(
    point, authority, monkeypatch, move, connection
):
    """After five tries and half an hour. A login, or something new to log in with, begins anew."""
    old = replace(connection, state={})
    monkeypatch.setitem(texts.IN_ENGLISH, "Token unieważniony", "Computer says no.")
    authority.in_english = True
    token = authority.ksef_tokens[connection.credentials["token"]]
    token.status = "Revoked"
    outcomes = []
    for _ in range(6):
        outcomes.append(type(point.check(old)))
        move(minutes=7)

    assert outcomes == [NotChecked] * 5 + [NeedsPerson]
    assert isinstance(point.open(old), NotChecked)
    token.status = "Active"
    assert isinstance(point.check(old), Works)
    token.status = "Revoked"
    assert isinstance(point.check(old), NotChecked)


@pytest.mark.parametrize("fault", ["gateway", "lost", "html"])
def test_a_network_that_does_not_answer_never_asks_a_person(
    point, service, move, connection, fault
):
    old = replace(connection, state={})
    service.faults = lambda call: fault if call.startswith("POST /auth") else None
    outcomes = set()
    for _ in range(8):
        outcomes.add(type(point.check(old)))
        move(minutes=10)

    assert outcomes == {NotChecked}


@pytest.mark.parametrize("way", ["token", "certificate"])
def test_a_login_that_takes_minutes_is_gone_on_with(point, authority, service, monkeypatch, way):
    """With its reference, also by another process; a new one would begin from the start."""
    monkeypatch.setattr(point._login, "_patience", 0.0)
    given = {"token": authority.issue_token(company.SELLER)}
    if way == "certificate":
        key, certificate = samples.seal_of()
        given = company.in_pem(key, certificate)
    authority.login_delay = timedelta(minutes=5)
    new = company.new_connection(given)
    assert isinstance(point.open(new), NotChecked)
    assert isinstance(point.check(new), NotChecked)
    authority.pass_time(minutes=6)
    other = company.point_at(service.url, point.store)

    assert isinstance(other.check(new), Works)
    begun = [e for e in service.exchanges if e.name.startswith(("POST /auth/ksef", "POST /auth/x"))]
    assert len(begun) == 1
    assert kept_logins(point) == []


def kept_logins(point):
    values = point.store.values.items()
    return [value for key, value in values if key.startswith("login-ksef") and value]


def test_the_token_of_a_running_login_is_not_readable_in_the_store(point, authority, monkeypatch):
    monkeypatch.setattr(point._login, "_patience", 0.0)
    authority.login_delay = timedelta(minutes=5)
    given = {"token": authority.issue_token(company.SELLER)}
    point.open(company.new_connection(given))

    (kept,) = kept_logins(point)
    issued = authority.tokens.issued
    assert issued
    assert not any(token in kept for token in issued)
    other = given | {"token": authority.issue_token(company.SELLER)}
    assert isinstance(point.open(company.new_connection(other)), NotChecked)
    assert len(authority.logins) == 2


@pytest.mark.parametrize("way", ["unknown", "redeemed", "ended", "refused"])
def test_a_running_login_of_no_use_is_replaced(point, authority, service, monkeypatch, way, move):
    """KSeF has forgotten it, a process that died has taken its tokens, or it has failed."""
    monkeypatch.setattr(point._login, "_patience", 0.0)
    given = {"token": authority.issue_token(company.SELLER)}
    authority.login_delay = timedelta(minutes=5)
    point.open(company.new_connection(given))
    (login,) = authority.logins.values()
    authority.login_delay = timedelta(0)
    if way == "unknown":
        authority.logins.clear()
    if way == "redeemed":
        login.redeemed = True
    if way == "ended":
        move(hours=2)
    if way == "refused":
        login.decided = 500, ()

    assert isinstance(point.check(company.new_connection(given)), Works)


def answer_of(values):
    return Response(200, {}, json.dumps(values).encode())


def test_logins_of_all_accounts_together_are_counted(point, authority):
    """Sixty calls a second from one address."""
    nips = [f"526589{number:04}" for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        given = [{"token": authority.issue_token(nip)} for nip in nips]
        opened = pool.map(
            lambda pair: company.connected(point, pair[1], nip=pair[0]),
            zip(nips, given, strict=True),
        )

    assert len(list(opened)) == 20
    assert authority.limits.refusals == []


# -- the ministry's keys ---------------------------------------------------------------------------


def public_key(name, since, until, *usages):
    return PublicKey(name, frozenset(usages), since, until, None)


def test_of_two_valid_keys_the_newer_one_is_used():
    now, day = clock.now(), timedelta(days=1)
    known = [
        public_key("old", now - 9 * day, now + day, Usage.TOKEN),
        public_key("new", now - day, now + 9 * day, Usage.TOKEN),
        public_key("next", now + day, now + 19 * day, Usage.TOKEN),
        public_key("ended", now - day / 2, now - day / 4, Usage.TOKEN),
        public_key("other", now, now + day, Usage.SYMMETRIC_KEY),
    ]

    assert chosen(known, Usage.TOKEN, now).id == "new"
    assert chosen(known, Usage.SYMMETRIC_KEY, now).id == "other"


class Lists:
    """The call for the list of keys, counted. `status`: its answer; None: none."""

    def __init__(self, point) -> None:
        self._real, self.status, self.calls = point.api.public_keys, 200, 0

    def public_keys(self):
        self.calls += 1
        if self.status is None:
            raise HttpFault("no route", maybe_sent=False)
        return self._real() if self.status == 200 else Response(self.status, {}, b"<html/>")


@pytest.mark.parametrize("status", [502, 404, 204, None])
def test_known_keys_are_used_until_their_end_while_the_list_cannot_be_had(point, move, status):
    """KSeF is asked once a minute. A restart, or another process, knows them too."""
    lists = Lists(point)
    keys = Keys(lists, point.store, "test")
    first = keys.current(Usage.TOKEN)
    move(hours=2)
    lists.status = status
    again = Keys(lists, point.store, "test")
    asked = lists.calls
    for _ in range(5):
        assert keys.current(Usage.TOKEN).id == again.current(Usage.TOKEN).id == first.id
    assert lists.calls - asked == 2
    move(seconds=61)
    keys.current(Usage.TOKEN)
    assert lists.calls - asked == 3
    move(days=40_000)
    with pytest.raises(NoKey):
        keys.current(Usage.TOKEN)


def test_without_any_key_the_list_is_asked_for_once_a_minute(point, move):
    lists = Lists(point)
    lists.status = 502
    keys = Keys(lists, MemoryStore(), "test")
    for _ in range(4):
        with pytest.raises(NoKey, match="502"):
            keys.current(Usage.TOKEN)
    assert lists.calls == 1
    move(seconds=61)
    lists.status = 200
    assert keys.current(Usage.TOKEN)


def test_a_key_of_another_form_leaves_the_others(point, monkeypatch):
    listed = json.loads(point.api.public_keys().body)
    body = json.dumps([{"usage": 1}, None, *listed]).encode()
    monkeypatch.setattr(point.api, "public_keys", lambda: Response(200, {}, body))

    assert Keys(point.api, MemoryStore(), "test").current(Usage.TOKEN)


def test_without_a_valid_key_nothing_is_encrypted():
    with pytest.raises(NoKey):
        chosen([], Usage.TOKEN, clock.now())


# -- files of certificates -------------------------------------------------------------------------


def test_an_encrypted_key_in_pem_needs_its_password():
    key, certificate = samples.seal_of()
    given = company.in_pem(key, certificate, "hunter2")

    assert loaded(given["certificate"], given["key"], "hunter2").key.key_size == 2048
    with pytest.raises(InvalidIdentity, match="password"):
        loaded(given["certificate"], given["key"])


def test_certificate_and_key_may_be_one_file():
    key, certificate = samples.seal_of()
    given = company.in_pem(key, certificate)
    both = base64.b64encode(b"".join(base64.b64decode(given[n]) for n in ("certificate", "key")))

    assert loaded(both.decode()).certificate == certificate


def test_a_key_of_another_certificate_is_refused():
    _, certificate = samples.seal_of()
    given = company.in_pem(KEYS["p-256"](), certificate)

    with pytest.raises(InvalidIdentity, match="not that of the certificate"):
        loaded(given["certificate"], given["key"])


def test_a_short_key_is_refused():
    key = rsa.generate_private_key(65537, 1024)
    given = company.in_pem(*samples.seal_of(key=key))

    with pytest.raises(InvalidIdentity, match="too short"):
        loaded(given["certificate"], given["key"])


def test_the_right_to_receive_is_named_at_once_where_it_is_missing(point, authority):
    given = {"token": authority.issue_token(company.SELLER, "InvoiceWrite")}
    outcome = point.open(company.new_connection(given))

    assert isinstance(outcome, NeedsPerson)
    assert "no right InvoiceRead" in outcome.reason


# -- rights that were missing at a call ------------------------------------------------------------

OPEN = "POST /sessions/online"


@pytest.fixture
def without(authority):
    """A function that lets all logins so far and later ones have these rights only."""

    def _without(*rights):
        granted = frozenset(rights)
        for each in authority.logins.values():
            each.permissions = granted
        for token in authority.ksef_tokens.values():
            token.permissions = granted

    return _without


def refused(point, connection):
    """A send that KSeF refuses, after which the connection needs a person."""
    bound, one = company.bound(point, connection), company.envelope()
    outcome = bound.submit(one, bound.prepare(one))
    assert isinstance(outcome, Blocked), outcome


@pytest.mark.parametrize("left", [("InvoiceRead",), ("InvoiceRead", "Introspection")])
def test_a_check_names_the_right_that_a_send_lacked(point, connection, without, left):
    """It does not count as working until the next send: neither by a token that can be refreshed,
    nor by a right to read the sessions."""
    without(*left)
    refused(point, connection)
    outcome = point.check(connection)

    assert isinstance(outcome, NeedsPerson)
    assert "no right InvoiceWrite:" in outcome.reason
    again = point.check(renewed(connection, outcome))
    assert isinstance(again, NeedsPerson)


def test_a_check_finds_the_right_that_was_granted_since(point, connection, without, service):
    """By a session that is opened and closed; later checks refresh the token again."""
    without("InvoiceRead")
    refused(point, connection)
    assert isinstance(point.check(connection), NeedsPerson)
    without("InvoiceRead", "InvoiceWrite")
    before = len(service.named(OPEN))
    outcome = point.check(connection)

    assert isinstance(outcome, Works)
    assert len(service.named(OPEN)) == before + 1
    logins = len(service.named("POST /auth/ksef-token"))
    assert isinstance(point.check(renewed(connection, outcome)), Works)
    assert len(service.named("POST /auth/ksef-token")) == logins


def test_a_check_that_cannot_ask_keeps_the_right_missing(point, connection, without, service):
    without("InvoiceRead")
    refused(point, connection)
    without("InvoiceRead", "InvoiceWrite")
    service.faults = lambda call: "gateway" if call == OPEN else None

    assert isinstance(point.check(connection), NeedsPerson)


def test_a_check_names_the_right_that_a_fetch_lacked(point, connection, without, service):
    without("InvoiceWrite")
    assert isinstance(point.fetch(connection, None), NeedsPerson)
    outcome = point.check(connection)
    assert isinstance(outcome, NeedsPerson)
    assert "no right InvoiceRead:" in outcome.reason
    without("InvoiceWrite", "InvoiceRead")
    service.faults = lambda call: "gateway" if "metadata" in call else None
    assert isinstance(point.check(connection), NeedsPerson)
    service.faults = lambda call: None

    assert isinstance(point.check(connection), Works)


def test_what_another_connection_lacked_does_not_matter(point, connection, authority, without):
    """Two tenants may have different tokens of one company."""
    without("InvoiceRead")
    refused(point, connection)
    without("InvoiceRead", "InvoiceWrite")
    token = {"token": authority.issue_token(company.SELLER)}
    other = company.connected(point, token, name="c2")

    assert isinstance(point.check(other), Works)
    assert authority.sessions == {}
