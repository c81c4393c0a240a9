"""Revocation lists: fetched, kept, and what happens without one."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice.domain.environments import Environment
from einvoice.http import Policy
from einvoice_peppol import revocation
from einvoice_peppol.revocation import RevocationLists
from einvoice_peppol.trust import RevocationUnknown, Trust, Untrusted
from plugins.peppol.tests import pki
from plugins.peppol.tests.pki import NOW

LOCAL = Policy(https_only=False, allow_private=True)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        self.send_response(200 if self.server.content else 503)
        self.end_headers()
        self.wfile.write(self.server.content or b"")

    def log_message(self, *_):
        pass


@contextmanager
def serving():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.content, server.asked = b"", 0
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def server():
    with serving() as running:
        yield running


@pytest.fixture
def certificate_of(server):
    def _certificate_of():
        return pki.leaf(pki.ACCESS_POINTS, crl=f"http://127.0.0.1:{server.server_port}/ap.crl")

    return _certificate_of


def check(lists, identity, after=timedelta()):
    lists.check(identity.certificate, pki.ACCESS_POINTS.certificate, NOW + after)


def listed(*revoked, **options):
    return pki.revocation_list(pki.ACCESS_POINTS, *revoked, **options).public_bytes(Encoding.DER)


def test_a_revoked_certificate_is_refused_and_another_one_is_not(server, certificate_of):
    good, bad = certificate_of(), certificate_of()
    server.content = listed(bad)
    lists = RevocationLists(policy=LOCAL)

    check(lists, good)
    with pytest.raises(Untrusted, match="is revoked"):
        check(lists, bad)


def test_trust_asks_for_the_revocation_of_a_certificate(server, certificate_of):
    bad = certificate_of()
    server.content = listed(bad)
    anchors = pki.anchors(pki.ACCESS_POINTS)
    trust = Trust(anchors, anchors, Environment.TEST, RevocationLists(policy=LOCAL))

    with pytest.raises(Untrusted, match="is revoked"):
        trust.check_access_point(bad.certificate, NOW)


def test_a_list_is_fetched_again_after_an_hour(server, certificate_of):
    good = certificate_of()
    server.content = listed()
    lists = RevocationLists(policy=LOCAL)

    for minutes in (0, 59, 61):
        check(lists, good, timedelta(minutes=minutes))

    assert server.asked == 2


def test_a_list_counts_until_its_end_when_it_cannot_be_fetched(server, certificate_of):
    good, bad = certificate_of(), certificate_of()
    server.content = listed(bad, until=timedelta(hours=6))
    lists = RevocationLists(policy=LOCAL)
    check(lists, good)
    server.content = b""

    check(lists, good, timedelta(hours=5))
    with pytest.raises(Untrusted, match="is revoked"):
        check(lists, bad, timedelta(hours=5))
    with pytest.raises(RevocationUnknown):
        check(lists, good, timedelta(hours=7))


def test_a_list_in_force_is_kept_for_other_processes_and_after_a_restart(
    server, certificate_of, tmp_path
):
    """Until its end, however long its server is away; a list that is kept is not fetched again."""
    good, bad = certificate_of(), certificate_of()
    server.content = listed(bad, until=timedelta(hours=90))
    check(RevocationLists(policy=LOCAL, folder=tmp_path / "crls"), good)
    other = RevocationLists(policy=LOCAL, folder=tmp_path / "crls")
    check(other, good, timedelta(minutes=59))
    asked, server.content = server.asked, b""
    restarted = RevocationLists(policy=LOCAL, folder=tmp_path / "crls")
    check(restarted, good, timedelta(hours=89))
    with pytest.raises(Untrusted, match="is revoked"):
        check(restarted, bad, timedelta(hours=89))
    with pytest.raises(RevocationUnknown):
        check(restarted, good, timedelta(hours=91))

    assert asked == 1


@pytest.mark.parametrize("spoil", ["signer", "cut", "empty", "large", "directory"])
def test_a_kept_list_is_verified_as_a_fetched_one(server, certificate_of, tmp_path, spoil):
    """Whoever writes to the data directory decides nothing; the list is fetched instead."""
    bad = certificate_of()
    server.content = listed(bad)
    check(RevocationLists(policy=LOCAL, folder=tmp_path), certificate_of())
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    path.unlink()
    if spoil == "directory":
        path.mkdir()
    else:
        other = {"signer": listed(signer=pki.SMPS), "cut": content[:50], "empty": b"",
                 "large": bytes(revocation.MAX_LIST_BYTES + 1)}  # fmt: skip
        path.write_bytes(other[spoil])

    with pytest.raises(Untrusted, match="is revoked"):
        check(RevocationLists(policy=LOCAL, folder=tmp_path), bad)


def test_an_older_list_replaces_no_newer_one(server, certificate_of, tmp_path):
    """A server behind others, or one that is not the authority's, would end a revocation."""
    bad = certificate_of()
    server.content = listed(bad)
    check(RevocationLists(policy=LOCAL, folder=tmp_path), certificate_of())
    server.content = listed(made=timedelta(hours=-5))

    with pytest.raises(Untrusted, match="is revoked"):
        check(RevocationLists(policy=LOCAL, folder=tmp_path), bad, timedelta(hours=2))


def test_without_a_list_a_certificate_is_refused_for_now(server, certificate_of):
    with pytest.raises(RevocationUnknown):
        check(RevocationLists(policy=LOCAL), certificate_of())


def test_the_soft_policy_accepts_a_certificate_of_unknown_status(server, certificate_of):
    check(RevocationLists(policy=LOCAL, strict=False), certificate_of())


def test_a_failed_fetch_is_not_repeated_within_a_minute(server, certificate_of):
    """An unreachable server must not delay each message."""
    lists = RevocationLists(policy=LOCAL, strict=False)
    good = certificate_of()

    for seconds in (0, 30, 59, 61):
        check(lists, good, timedelta(seconds=seconds))

    assert server.asked == 2


def test_a_list_that_the_authority_has_not_signed_is_refused(server, certificate_of):
    server.content = listed(signer=pki.SMPS)

    with pytest.raises(RevocationUnknown):
        check(RevocationLists(policy=LOCAL), certificate_of())


@pytest.mark.parametrize("content", [b"<html>", b"-----BEGIN X509 CRL-----\nAAAA\n", b"\x30\x00"])
def test_an_answer_that_is_not_a_list_leaves_the_status_unknown(server, certificate_of, content):
    server.content = content

    with pytest.raises(RevocationUnknown):
        check(RevocationLists(policy=LOCAL), certificate_of())


def test_a_list_longer_than_the_limit_is_not_read(server, certificate_of, monkeypatch):
    monkeypatch.setattr(revocation, "_LIMITS", revocation.Limits(answer_bytes=100))
    server.content = listed()

    with pytest.raises(RevocationUnknown):
        check(RevocationLists(policy=LOCAL), certificate_of())


def test_certificates_name_a_bounded_number_of_lists(server):
    lists = RevocationLists(policy=LOCAL, strict=False)
    for number in range(revocation.MAX_LISTS):
        address = f"http://127.0.0.1:{server.server_port}/{number}"
        check(lists, pki.leaf(pki.ACCESS_POINTS, crl=address))

    with pytest.raises(RevocationUnknown, match="too many"):
        check(lists, pki.leaf(pki.ACCESS_POINTS, crl="http://127.0.0.1:9/more"))


def test_a_list_of_the_operator_serves_certificates_that_name_none():
    """A closed network has no server of lists."""
    good, bad = pki.leaf(pki.ACCESS_POINTS), pki.leaf(pki.ACCESS_POINTS)
    given = revocation.given_lists([listed(bad)])
    lists = RevocationLists(given=given)

    check(lists, good)
    with pytest.raises(Untrusted, match="is revoked"):
        check(lists, bad)


def test_a_list_of_another_authority_does_not_count():
    given = [pki.revocation_list(pki.SMPS)]

    with pytest.raises(RevocationUnknown):
        check(RevocationLists(given=given), pki.leaf(pki.ACCESS_POINTS))
