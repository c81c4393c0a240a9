"""What the clients are made of is as old as the contract of the service."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from einvoice_client.generated.actions import ACTIONS
from einvoice_client.generated.once import ONCE

from einvoice.web.explanations import EXPLANATIONS

CLIENTS = Path(__file__).parents[3] / "clients"
STALE = "the contract has changed: run `make clients` and commit what it writes"

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_clients", CLIENTS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((CLIENTS / "contract.json").read_text())
    return document


def test_the_clients_are_generated_from_the_contract_of_today(
    service: Any, generate: ModuleType, committed: dict[str, Any]
) -> None:
    """But for texts, which change no program."""
    served = generate.contract(service.test_client().get("/openapi.json").get_json())
    kinds = ("paths", *served["components"])
    parts = {
        kind: [
            set(map(repr, sorted(part.items())))
            for document in (served, committed)
            for part in [
                generate.without_texts(document.get(kind, document["components"].get(kind)))
            ]
        ]
        for kind in kinds
    }
    changed = {
        re.split(r"[:,]", one, maxsplit=1)[0] for new, old in parts.values() for one in new ^ old
    }

    assert sorted(changed) == [], STALE


def test_the_generated_tables_are_those_of_the_contract(
    service: Any, generate: ModuleType, committed: dict[str, Any]
) -> None:
    assert tuple(generate.once_only(committed)) == ONCE, STALE
    assert set(ACTIONS) == set(EXPLANATIONS), STALE


def test_every_operation_of_the_contract_has_a_module_and_a_type(
    service: Any, committed: dict[str, Any]
) -> None:
    """Whoever writes contract.json without generating the clients is told."""
    api = CLIENTS / "python" / "einvoice_client" / "generated" / "api"
    types = (CLIENTS / "typescript" / "src" / "generated" / "contract.ts").read_text()
    names = {
        operation["operationId"]
        for item in committed["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }
    modules = {path.stem for path in api.rglob("*.py")}

    assert {
        n for n in names if re.sub(r"(?<=[a-z])(?=[A-Z])", "_", n).lower() not in modules
    } == set()
    assert {name for name in names if f"    {name}: {{" not in types} == set()
