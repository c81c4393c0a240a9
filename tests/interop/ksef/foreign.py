"""The foreign software: EU DSS as judge of signatures, ksef-client and signxml in Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.networks.ksef.samples import PrivateKey

HERE = Path(__file__).parent
BUILT = HERE.parents[2] / ".cache" / "ksef"
GOOD = "XAdES-BASELINE-B intact valid INDETERMINATE NO_CERTIFICATE_CHAIN_FOUND"


def judged(folder: Path) -> dict[str, str]:
    """What EU DSS says of each file *.xml, by its name without the ending."""
    files = sorted(folder.glob("*.xml"))
    classpath = f"{BUILT / 'dss' / 'classes'}:{(BUILT / 'dss' / 'classpath').read_text()}"
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"
    said = _output(["java", quiet, "-cp", classpath, "counterpart.Judge", *map(str, files)])
    lines = (line.partition(".xml ") for line in said.splitlines())
    return {name: verdict for name, _, verdict in lines}


def python(program: str, folder: Path) -> str:
    """What a program of ksef-client prints."""
    return _output(
        [str(BUILT / "venv" / "bin" / "python"), str(HERE / "python" / program), str(folder)]
    )


def read_from(program: str, folder: Path) -> dict[str, Any]:
    """The object that a program of ksef-client prints."""
    found: dict[str, Any] = json.loads(python(program, folder))
    return found


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def write_identity(folder: Path, key: PrivateKey, certificate: x509.Certificate) -> None:
    """Write certificate.pem and key.pem."""
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(private)
