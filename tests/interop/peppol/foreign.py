"""Foreign access points as processes: phase4 and Oxalis, with the throw-away PKI in a folder."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    pkcs12,
)
from throwaway_pki import Leaf, Pki

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".cache" / "peppol"
_PASSWORD = BestAvailableEncryption(b"test")
RECEIVERS = {"phase4": "Phase4Receiver", "oxalis": "OxalisReceiver"}
LEAVES = ("c2", "c3", "other", "expired", "revoked", "foreign", "smp_as_access_point")


def write_pki(pki: Pki, folder: Path) -> None:
    """What the counterparts read: NAME.p12 and NAME.pem of leaves, trust stores, a recipe."""
    for name in LEAVES:
        write_leaf(name, getattr(pki, name), folder)
    issuer = pki.access_points.certificate
    (folder / "access-points.pem").write_bytes(issuer.public_bytes(Encoding.PEM))
    for name, authority in (("trust", pki.access_points), ("smp-trust", pki.publishers)):
        trusted = {b"root": pki.root.certificate, b"issuer": authority.certificate}
        entries = [pkcs12.PKCS12Certificate(one, alias) for alias, one in trusted.items()]
        store = pkcs12.serialize_java_truststore(entries, _PASSWORD)
        (folder / f"{name}.p12").write_bytes(store)
    (folder / "oxalis-pki.xml").write_text(_recipe(pki))


def write_leaf(name: str, leaf: Leaf, folder: Path) -> None:
    store = pkcs12.serialize_key_and_certificates(
        b"cert", leaf.key, leaf.certificate, None, _PASSWORD
    )
    (folder / f"{name}.p12").write_bytes(store)
    (folder / f"{name}.pem").write_bytes(leaf.certificate.public_bytes(Encoding.PEM))
    key = leaf.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, _PASSWORD)
    (folder / f"{name}.key").write_bytes(key)


def _recipe(pki: Pki) -> str:
    """The trust as Oxalis wants it."""
    names = {"AP": pki.access_points, "SMP": pki.publishers}
    validators = "".join(
        f'<Validator name="{name}" timeout="10"><PrincipleName field="CN" principal="ISSUER">'
        f"<Value>{_common_name(one.certificate)}</Value></PrincipleName>"
        "<ValidatorReference>default</ValidatorReference></Validator>"
        for name, one in names.items()
    )
    chain = (
        "<Chain><RootBucketReference>root</RootBucketReference>"
        "<IntermediateBucketReference>issuers</IntermediateBucketReference></Chain>"
    )
    return (
        '<ValidatorRecipe xmlns="http://oxalis.network/xsd/certvalidator/1.0" name="closed"'
        ' version="1"><Validator><Expiration/><Signing type="PUBLIC_SIGNED"/><CRL/>'
        f"{chain}</Validator>{validators}"
        f'<CertificateBucket name="root">{_embedded(pki.root.certificate)}</CertificateBucket>'
        f'<CertificateBucket name="issuers">{_embedded(pki.access_points.certificate)}'
        f"{_embedded(pki.publishers.certificate)}</CertificateBucket></ValidatorRecipe>"
    )


def _embedded(certificate: x509.Certificate) -> str:
    der = base64.b64encode(certificate.public_bytes(Encoding.DER)).decode()
    return f"<Certificate>{der}</Certificate>"


def _common_name(certificate: x509.Certificate) -> str:
    (found,) = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return str(found.value)


def command(part: str, main: str, folder: Path, *given: str) -> list[str]:
    """The command line of a counterpart."""
    path = [str(BUILT / part / "classes"), str(folder), (BUILT / part / "classpath").read_text()]
    options = ["-Xmx2g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", ":".join(path)]
    return ["java", *options, f"counterpart.{main}", str(folder), *given]


@contextmanager
def java(part: str, main: str, folder: Path, *given: str) -> Iterator[subprocess.Popen[str]]:
    """A counterpart that has printed "ready"."""
    process = subprocess.Popen(
        command(part, main, folder, *given),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        _line(process, "ready")
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _line(process: subprocess.Popen[str], start: str) -> str:
    """The next line of its output that starts so."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(start):
            return line.removeprefix(start).strip()
        sys.stderr.write(line)
    raise AssertionError(f"the counterpart ended with {process.wait()}")


@contextmanager
def receiver(part: str, folder: Path, **values: str) -> Iterator[str]:
    """A foreign receiver; its address. `values`: as its program takes them."""
    port, given = free_port(), [f"{name}={value}" for name, value in values.items()]
    with java(part, RECEIVERS[part], folder, f"port={port}", *given):
        yield f"http://127.0.0.1:{port}/as4"


class Sender:
    """A foreign sender that has been started."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, **values: object) -> str:
        """What it says about one message. `values`: as its program takes them."""
        assert self._process.stdin is not None
        line = "\t".join(f"{name}={value}" for name, value in values.items())
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return _line(self._process, "result ")


def said_by(main: str, folder: Path, *given: str) -> list[str]:
    """The lines that a program of the counterpart on phase4 prints."""
    done = subprocess.run(
        command("phase4", main, folder, *given), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def found_by_oxalis(
    folder: Path, smp: str, receiver: object, processes: Mapping[str, str]
) -> dict[str, str]:
    """The endpoint of each document type that the lookup of Oxalis finds at an SMP.

    processes  the process to ask for, by document type
    """
    asked = [text for pair in processes.items() for text in pair]
    main = command("oxalis", "OxalisLookup", folder, "c2", f"smp={smp}", f"receiver={receiver}")
    done = subprocess.run([*main, *asked], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


def by_peppol_py(
    folder: Path, key: str, url: str, document: Path, sender: str, receiver: str
) -> str:
    """What peppol-py says about sending a document, with the key of this name."""
    program = ROOT / "tests" / "interop" / "peppol" / "python" / "send.py"
    python = BUILT / "peppol-py" / "bin" / "python"
    given = (str(folder), key, url, str(document), sender, receiver)
    done = subprocess.run(
        [str(python), str(program), *given], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


SMP_SETTINGS = """global.debug = false
global.production = false
webapp.datapath = {data}/data
webapp.checkfileaccess = false
webapp.testversion = true
smp.backend = xml
smp.keystore.type = pkcs12
smp.keystore.path = {pki}/smp.p12
smp.keystore.password = test
smp.keystore.key.alias = cert
smp.keystore.key.password = test
smp.truststore.type = pkcs12
smp.truststore.path = {pki}/smp-trust.p12
smp.truststore.password = test
smp.forceroot = true
smp.publicurl = {url}
sml.smpid = FOREIGN-SMP
smp.identifiertype = peppol
smp.rest.type = peppol
smp.rest.payload.on.error = true
"""


# The SML of a closed network, as an administrator would choose it in the pages of phoss SMP.
SMP_SML = """<?xml version="1.0" encoding="UTF-8"?>
<root><item id="closed" displayname="Closed" clientcert="false"><dnszone>{zone}.</dnszone>
<mgmtsvc>{address}</mgmtsvc></item></root>
"""
SMP_WITH_SML = """<?xml version="1.0" encoding="UTF-8"?>
<root name="singleton"><setting name="sml.required">true</setting>
<setting name="sml.enabled">true</setting><setting name="smlinfo.id">closed</setting>
<setting name="smp.directory.integration.required">false</setting>
<setting name="smp.directory.integration.enabled">false</setting></root>
"""
SMP_ID = "FOREIGN-SMP"


class Smp:
    """phoss SMP as a process. Its user is admin@helger.com, `password`.

    data  the folder of its book, which outlives the process
    sml   address of an SML with which it registers participants, and the zone; None: without one
    """

    def __init__(
        self, pki: Pki, folder: Path, data: Path, sml: tuple[str, str] | None = None
    ) -> None:
        write_leaf("smp", pki.smp, folder)
        self.port, self._data = free_port(), data
        self.url = f"http://127.0.0.1:{self.port}"
        settings = SMP_SETTINGS.format(data=data, pki=folder, url=self.url)
        (data / "application.properties").write_text(settings)
        if sml is not None:
            book = data / "data"
            book.mkdir(exist_ok=True)
            (book / "sml-info.xml").write_text(SMP_SML.format(address=sml[0], zone=sml[1]))
            (book / "smp-settings.xml").write_text(SMP_WITH_SML)
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        built = BUILT / "smp"
        classes = f"{built / 'classes'}:{(built / 'classpath').read_text()}"
        webapp = ROOT / "tests" / "interop" / "peppol" / "smp" / "webapp"
        config = f"-Dconfig.file={self._data / 'application.properties'}"
        errors = self._data / "stderr.log"
        with errors.open("a") as log:
            self._process = subprocess.Popen(
                ["java", "-Xmx512m", config, "-cp", classes, "counterpart.Smp", str(self.port),
                 str(webapp)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )  # fmt: skip
        try:
            _line(self._process, "ready")
        except AssertionError as ended:
            raise AssertionError(errors.read_text()[-4000:]) from ended

    def kill(self) -> None:
        """End it as a machine that loses its power does."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate(timeout=20)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.communicate(timeout=20)


@contextmanager
def smp(pki: Pki, folder: Path, data: Path, sml: tuple[str, str] | None = None) -> Iterator[Smp]:
    """phoss SMP with an empty book."""
    made = Smp(pki, folder, data, sml)
    try:
        made.start()
        yield made
    finally:
        made.stop()
