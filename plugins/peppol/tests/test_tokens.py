"""Private keys in a PKCS#11 token, with SoftHSM as the token."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import as4_samples
import pytest
from as4_server import network as a_network
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from einvoice import clock
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.settings import validated
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import NotSent
from einvoice_peppol import access_point, sbdh, tokens
from einvoice_peppol.as4 import answers, encryption
from einvoice_peppol.as4.encryption import OAEP
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.configuration import InvalidConfiguration, configured, settings_of
from einvoice_peppol.identity import Identity, KeyUnavailable
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.stages import TEST
from plugins.peppol.tests import key_files, pki

MODULE = Path("/usr/lib/softhsm/libsofthsm2.so")
PIN = "1234-secret"
PKCS1, SHA256 = padding.PKCS1v15(), hashes.SHA256()
OURS, NEXT = (pki.leaf(pki.ACCESS_POINTS, "POP000001", number=each) for each in (21, 22))
ABSENT = pki.leaf(pki.ACCESS_POINTS, "POP000001", number=23)

pytestmark = pytest.mark.skipif(
    shutil.which("softhsm2-util") is None or not MODULE.exists(),
    reason="SoftHSM is not installed (Debian: softhsm2)",
)


@pytest.fixture(scope="module", autouse=True)
def soft_hsm(tmp_path_factory):
    """A token `ap` with two keys, in the directory of the tests.

    SoftHSM reads its settings when it is first used in a process.
    """
    pytest.importorskip("pkcs11", reason="python-pkcs11 is not installed")
    folder = tmp_path_factory.mktemp("softhsm")
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(
        f"directories.tokendir = {folder / 'tokens'}\nobjectstore.backend = file\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTHSM2_CONF", str(folder / "softhsm2.conf"))
        _tool("--init-token", "--free", "--label", "ap", "--pin", PIN, "--so-pin", PIN)
        for number, leaf in enumerate((OURS, NEXT)):
            (folder / "key.pem").write_bytes(key_files.key_pem(leaf))
            given = ("--token", "ap", "--label", "key", "--id", f"0{number}", "--pin", PIN)
            _tool("--import", str(folder / "key.pem"), *given)
        yield
        _forget()


def _forget():
    """Log out, so that the next use opens the token as in a new process."""
    if tokens.token.cache_info().currsize:
        tokens.token(MODULE, "ap", PIN)._session.close()
    tokens.token.cache_clear()


def _tool(*words):
    subprocess.run(["softhsm2-util", *words], check=True, capture_output=True)


@pytest.fixture
def variables(tmp_path, monkeypatch):
    """The settings of an access point whose certificate is in a file, and its key in the token."""
    monkeypatch.setattr(clock, "now", lambda: pki.NOW)
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    for name, leaf in (("ours", OURS), ("next", NEXT), ("absent", ABSENT)):
        (tmp_path / f"{name}.pem").write_bytes(key_files.certificates_pem(leaf))
    settings = {
        "KEYS": str(tmp_path / "ours.pem"),
        "ANCHORS": str(folder),
        "REVOCATION": "soft",
        "PKCS11_MODULE": str(MODULE),
        "PKCS11_TOKEN": "ap",
        "PKCS11_PIN": PIN,
    }
    return {f"EINVOICE_PEPPOL_TEST_{name}": value for name, value in settings.items()}


def network(variables):
    return configured(TEST, validated("peppol", settings_of(TEST), variables, {}).values)


@pytest.fixture
def key(variables):
    return network(variables).identity.key


def test_a_key_of_a_token_signs_and_decrypts(key):
    public = OURS.key.public_key()
    public.verify(key.sign(b"data", PKCS1, SHA256), b"data", PKCS1, SHA256)

    assert isinstance(key, tokens.TokenKey)
    assert key.decrypt(public.encrypt(b"k" * 16, OAEP), OAEP) == b"k" * 16


@pytest.mark.parametrize("wrong", [b"", b"\1" * 255, b"\xff" * 256, b"\1" * 256])
def test_what_was_not_encrypted_for_the_key_is_refused(key, wrong):
    """And is no fault of the token: the sender gets an error signal."""
    with pytest.raises(ValueError, match=r"ciphertext|padding"):
        key.decrypt(wrong, OAEP)


def test_two_keys_of_one_token_are_used_while_one_is_renewed(variables, tmp_path):
    both = {"EINVOICE_PEPPOL_TEST_NEXT_KEYS": str(tmp_path / "next.pem")}
    found = network(variables | both)

    assert [each.certificate for each in found.identities] == [OURS.certificate, NEXT.certificate]
    for leaf, identity in zip((OURS, NEXT), found.identities, strict=True):
        signature = identity.key.sign(b"data", PKCS1, SHA256)
        leaf.key.public_key().verify(signature, b"data", PKCS1, SHA256)


def test_a_message_is_opened_and_acknowledged_with_the_key_of_a_token(variables, c2, trusted):
    """The receipt is signed in the token too."""
    ours = network(variables).identity
    inbox, receiver = MemoryInbox(), None
    receiver = Receiver(a_network(ours, trusted=_Anyone()), inbox)
    response = receiver.answer(_message(c2, ours))

    assert answers.read(response.body).has_receipt
    assert len(inbox.arrived) == 1


class _Anyone:
    """Trust in every certificate: chains are tested elsewhere."""

    def check_access_point(self, certificate, now):
        pass


def _message(sender, receiver):
    payload = sbdh.write(as4_samples.header(), samples.envelope().document)
    content = as4_samples.sent(sender, receiver, payload).content
    headers = {"content-type": content.content_type}
    return Request("POST", "/", content.body, headers=headers)


def test_a_child_process_opens_a_session_of_its_own(key):
    """A worker may be forked after the start."""
    child = os.fork()
    if child == 0:
        good = len(key.sign(b"data", PKCS1, SHA256)) == 256
        os._exit(0 if good else 1)

    assert os.waitpid(child, 0)[1] == 0
    assert len(key.sign(b"data", PKCS1, SHA256)) == 256


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_session_that_is_lost_is_opened_again(key):
    """python-pkcs11 reports the end of its search in the lost session too; that is ignored."""
    key._token._session.close()

    assert len(key.sign(b"data", PKCS1, SHA256)) == 256


class Broken:
    """A key whose token does not answer."""

    def sign(self, *_):
        raise KeyUnavailable("the token is away")

    decrypt = sign


def test_while_the_token_is_away_senders_repeat_and_documents_wait(c2, trusted):
    """No error signal, which would be final."""
    away = Identity(OURS.certificate, Broken())
    receiver = Receiver(a_network(away, trusted=_Anyone()), MemoryInbox())
    answer = receiver.answer(_message(c2, away))
    peppol = access_point.Peppol(a_network(away, trusted=trusted))
    exchange = (samples.envelope(), peppol.prepare(samples.envelope()))
    made = peppol._attempt(0, exchange, type("E", (), {"certificate": OURS.certificate}))

    assert (answer.status, answer.headers["Retry-After"]) == (503, "60")
    assert isinstance(made, NotSent)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"PKCS11_PIN": "4321-secret"}, "PKCS11_MODULE: .*the PIN is wrong"),
        ({"PKCS11_PIN": ""}, "PKCS11_MODULE: PKCS11_TOKEN and PKCS11_PIN are required"),
        ({"PKCS11_TOKEN": "other"}, "PKCS11_MODULE: .*token 'other'"),
        ({"PKCS11_MODULE": "/nowhere.so"}, "PKCS11_MODULE: /nowhere.so"),
        ({"KEYS": "absent.pem"}, "KEYS: .*no private key of a certificate"),
        ({"KEYS": "nowhere.pem"}, "KEYS: .*cannot be read"),
        ({"KEYS": "anchors/../key.bin"}, "KEYS: .*no certificate in PEM"),
    ],
)
def test_a_token_that_cannot_be_used_stops_the_start_without_the_pin(
    variables, tmp_path, changes, words
):
    (tmp_path / "key.bin").write_bytes(b"\0")
    if name := changes.get("KEYS"):
        changes = {"KEYS": str(tmp_path / name)}
    _forget()
    wrong = {f"EINVOICE_PEPPOL_TEST_{each}": value for each, value in changes.items()}
    with pytest.raises(InvalidConfiguration, match=words) as fault:
        network(variables | wrong)

    assert "secret" not in str(fault.value)


def test_without_the_library_the_start_says_what_to_install(variables, monkeypatch):
    _forget()
    monkeypatch.setitem(sys.modules, "pkcs11", None)

    with pytest.raises(InvalidConfiguration, match=r"install einvoice-peppol\[pkcs11\]"):
        network(variables)


def test_the_library_is_imported_only_where_a_setting_names_a_module():
    script = "import sys, einvoice_peppol; sys.exit('pkcs11' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_broken_message_is_refused_as_with_a_key_in_a_file(key):
    """The same error as for any other fault of decryption."""
    with pytest.raises(Refused, match="cannot be decrypted"):
        encryption.decrypted(bytes(100), OURS.key.public_key().encrypt(b"k", OAEP), key)
