"""zatca-check of zatca-toolkit (greymoth-jp, Apache 2.0) judges what a unit stamps.

It is published as source alone: `tests/interop/zatca/prepare` builds it from the checkout that
ZATCA_TOOLKIT names (tested: commit 3df1b0e4, Go 1.26); without it these tests are skipped. No
command of it signs a document, so it is a witness of one direction.

It differs in one rule: its BR-KSA-02 knows no prepayment (386), which BR-KSA-05 of ZATCA takes.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.interop.zatca.test_fatoority import HERE, folder

__all__ = ["folder"]
PROGRAM = HERE.parents[2] / ".cache" / "zatca" / "zatca-check"
pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not PROGRAM.exists(), reason="no zatca-check: set ZATCA_TOOLKIT, prepare"),
]


def findings(folder) -> dict[str, list[str]]:
    """The ids of what it finds in each document, with its checks of stamps."""
    found = {}
    for path in sorted((folder / "stamped").glob("*.xml")):
        command = [PROGRAM, "--structural", path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.stdout.startswith(("CLEARED", "REJECTED")), done.stdout
        found[path.stem] = re.findall(r"\[\w+\] (\S+)", done.stdout)
    return found


def test_every_document_that_is_stamped_here_is_cleared_but_for_prepayments(folder):
    found = findings(folder)

    assert len(found) == 9
    assert {name: ids for name, ids in found.items() if ids} == {
        "standard-prepayment": ["BR-KSA-02"],
        "simplified-prepayment": ["BR-KSA-02"],
    }
