"""Runs the foreign software in its own environment, which `prepare` makes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.networks.fr import DIRECTORY, FLOWS, Exchange
from tests.networks.fr.judging import document

HERE = Path(__file__).parent
PYTHON = Path(__file__).resolve().parents[3] / ".cache/fr/venv/bin/python"


def run(script: str, *arguments: str) -> Any:
    """What a script of the environment prints."""
    made = subprocess.run(
        [PYTHON, HERE / "python" / script, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"OAUTHLIB_INSECURE_TRANSPORT": "1"},
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout.splitlines()[-1])


def judged(exchanges: Sequence[Exchange], service: str, folder: Path) -> list[str]:
    """What openapi-core says against exchanges with a service."""
    interface = json.loads(json.dumps(document(service)))
    interface["servers"] = [{"url": "https://platform.example"}]
    checksum = interface["components"]["schemas"].get("FlowInfoExtension")
    if checksum:
        del checksum["properties"]["sha256"]["format"]
    (folder / "interface.json").write_text(json.dumps(interface))
    own = [each for each in exchanges if each.path.startswith(f"{service}/")]
    given = [
        {
            "name": f"{each.method} {each.path}",
            "request": {
                "method": each.method,
                "path": each.path.removeprefix(service),
                "query": each.query,
                "headers": each.headers,
                "body": base64.b64encode(each.body).decode(),
            },
            "answer": {
                "status": each.answer.status,
                "headers": dict(each.answer.headers),
                "type": each.answer.type,
                "body": base64.b64encode(each.answer.body).decode(),
            },
        }
        for each in own
    ]
    (folder / "exchanges.json").write_text(json.dumps(given))
    found: list[str] = run("judge.py", str(folder))
    return found


SERVICES = (FLOWS, DIRECTORY)
