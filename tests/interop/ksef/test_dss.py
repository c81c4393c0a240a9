"""EU DSS takes our logins and the UPO of the stand-in, and refuses changed ones.

Not part of `make test`: `make ksef-interop` compiles the judge, then runs this.
"""

from __future__ import annotations

import pytest

from tests.interop.ksef import foreign, logins
from tests.networks import ksef
from tests.networks.ksef import samples
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.client import Client

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A folder with our logins."""
    folder = tmp_path_factory.mktemp("ours")
    logins.write_ours(folder)
    return folder


@pytest.fixture(scope="module")
def verdicts(ours):
    return foreign.judged(ours)


@pytest.mark.parametrize("name", logins.KEYS)
def test_our_logins_are_intact_and_valid(verdicts, name):
    assert verdicts[name] == foreign.GOOD


@pytest.mark.parametrize("change", ["other-nip", "other-time"])
@pytest.mark.parametrize("name", logins.KEYS)
def test_a_changed_login_is_refused(verdicts, name, change):
    assert verdicts[f"{name}-{change}"] == (
        "XAdES-BASELINE-B broken invalid TOTAL_FAILED HASH_FAILURE"
    )


def test_signxml_agrees(ours, verdicts):
    taken = foreign.read_from("verify.py", ours)

    assert taken == {name: verdict == foreign.GOOD for name, verdict in verdicts.items()}


def test_exclusive_canonicalization_of_signxml_is_refused(tmp_path):
    """Why the plugin does not use it; the other forms of signxml are taken."""
    logins.write_theirs(tmp_path)
    said = foreign.judged(tmp_path)

    assert "HASH_FAILURE" in said.pop("signxml-exclusive")
    assert len(said) == 3
    assert {verdict.split(" ", 1)[1] for verdict in said.values()} == {
        foreign.GOOD.split(" ", 1)[1]
    }


def test_a_upo_of_the_stand_in_is_intact_and_valid(tmp_path):
    with ksef.running(Authority()) as service:
        client = Client(service).sign_in()
        status = client.sent(client.opened(), samples.fa3("A/1"))
        upo = client.call("GET", status["upoDownloadUrl"], token="").content
    (tmp_path / "upo.xml").write_bytes(upo)
    (tmp_path / "changed.xml").write_bytes(upo.replace(b"A/1<", b"A/2<"))
    said = foreign.judged(tmp_path)

    assert said["upo"] == foreign.GOOD
    assert "HASH_FAILURE" in said["changed"]
