"""Recorded logins, and what EU DSS has said of them (tests/interop/ksef/record.py)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from lxml import etree

from einvoice_ksef import seal
from tests.networks.ksef import xades

FOLDER = Path(__file__).parent / "logins"
VERDICTS = json.loads((FOLDER / "verdicts.json").read_text())["verdicts"]
OURS = ("rsa-2048", "p-256")


def is_good(name):
    return " intact valid " in VERDICTS[name]


def is_taken(verify, name, fault):
    try:
        verify(etree.parse(FOLDER / f"{name}.xml").getroot())
    except fault:
        return False
    return True


def test_there_is_a_verdict_of_each_login():
    assert set(VERDICTS) == {file.stem for file in FOLDER.glob("*.xml")}


@pytest.mark.parametrize("name", OURS)
def test_our_logins_were_taken_and_changed_ones_were_not(name):
    assert is_good(name)
    assert not is_good(f"{name}-other-nip")
    assert not is_good(f"{name}-other-time")


def test_exclusive_canonicalization_of_signxml_was_not_taken():
    """So it is not used for logins; other makers and forms were taken."""
    assert "HASH_FAILURE" in VERDICTS["signxml-exclusive"]
    assert all(map(is_good, ("signxml-c14n10", "signxml-c14n11", "ksef-client")))


@pytest.mark.parametrize("name", VERDICTS)
def test_the_stand_in_and_the_plugin_agree_with_the_verdicts(name):
    """The stand-in verifies logins, the plugin UPO."""
    assert is_taken(xades.verify, name, xades.BadSignature) is is_good(name)
    assert is_taken(seal.verify, name, seal.NotSealed) is is_good(name)


@pytest.mark.skipif(shutil.which("xmlsec1") is None, reason="xmlsec1 is not installed")
@pytest.mark.parametrize("name", VERDICTS)
def test_xmlsec1_agrees_with_the_verdicts(name):
    properties = f"{seal.XADES}:SignedProperties"
    options = ["--insecure", "--id-attr:Id", properties]
    command = ["xmlsec1", "--verify", *options, str(FOLDER / f"{name}.xml")]
    done = subprocess.run(command, capture_output=True, check=False)

    assert (done.returncode == 0) is is_good(name)
