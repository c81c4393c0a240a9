"""What a caller without credential reaches takes time in proportion to what was sent."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from as4_samples import changed, sent
from as4_server import network

from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.testing import MemoryInbox
from einvoice.xml import NotXml
from einvoice_peppol import sbdh
from einvoice_peppol.as4 import answers, mime
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.smp_signature import InvalidSignatureOfDocument, verified
from plugins.peppol.tests import pki, smp_servers
from plugins.peppol.tests.as4_samples import anyone
from plugins.peppol.tests.test_sbdh import COUNTRY, HEADER, WRITTEN
from tests import growth

FLOODS = {
    "attributes": lambda n: "".join(f' a{i}="x"' for i in range(n // 8)),
    "namespaces": lambda n: "".join(f' xmlns:a{i}="u:{i}"' for i in range(n // 16)),
    "one attribute": lambda n: f' a="{"x" * n}"',
}
CHILDREN = {
    "elements": lambda n: "<a/>" * (n // 4),
    "elements with attributes": lambda n: '<a b="c" d="e"/>' * (n // 16),
    "elements with namespaces": lambda n: '<x:a xmlns:x="u:x"/>' * (n // 20),
    "elements with ids": lambda n: "".join(f'<a Id="{i}"/>' for i in range(n // 14)),
    "references": lambda n: '<ds:Reference URI="#a"/>' * (n // 24),
    "comments": lambda n: "<!--a-->" * (n // 8),
    "instructions": lambda n: "<?a b?>" * (n // 7),
    "text": lambda n: "&lt;\t" * (n // 5),
    "nested": lambda n: "<a>" * (n // 7) + "</a>" * (n // 7),
}
PLACES = ("<ds:SignedInfo", "<S12:Envelope", "<eb:UserMessage", "<wsse:BinarySecurityToken")


@pytest.fixture(scope="module")
def message(c2, c3):
    return sent(c2, c3).content


@pytest.fixture
def answer(c3, trusted):
    """A function that gives a message to the endpoint."""
    receiver = Receiver(network(c3, trusted=trusted), MemoryInbox())

    def _answer(content: mime.Multipart):
        headers = {"content-type": content.content_type}
        return receiver.answer(Request("POST", "/", content.body, headers=headers))

    return _answer


def faults(cases, work):
    """What each case that grows too fast takes, by its name."""
    found = {name: growth.fault(work, of_size) for name, of_size in cases.items()}
    return {name: fault for name, fault in found.items() if fault}


def test_a_message_of_any_shape_is_refused_in_proportion_to_its_size(message, answer):
    """Attributes, namespaces and elements at each place, also before the signature is checked."""
    cases = {}
    for place in PLACES:
        for name, flood in FLOODS.items():
            cases[f"{place} {name}"] = lambda n, p=place, f=flood: changed(message, p, p + f(n))
    for end in ("</ds:SignedInfo>", "</eb:UserMessage>", "</S12:Body>", "</wsse:Security>"):
        for name, children in CHILDREN.items():
            cases[f"{end} {name}"] = lambda n, e=end, c=children: changed(message, e, c(n) + e)

    assert not faults(cases, answer)


def test_the_prefixes_of_a_signature_are_refused_in_proportion_to_their_number(message, answer):
    """libxml2 looks for each prefix at each element."""
    namespace = 'xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#"'
    place = 'Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:CanonicalizationMethod>'

    def flooded(n):
        prefixes = " ".join(f"a{i}" for i in range(n // 6))
        listed = f'<ec:InclusiveNamespaces {namespace} PrefixList="{prefixes}"/>'
        return changed(message, place, place.replace("></", f">{listed}</"))

    assert not faults({"prefixes": flooded}, answer)


def test_parts_of_any_shape_are_refused_in_proportion_to_their_size(message, answer):
    boundary = message.body.partition(b"\r\n")[0]
    head = b"Content-ID: <p-1@test>\r\n"
    starts = {
        "base64 of words": (b"Content-Transfer-Encoding: base64\r\n\r\n", b"ab "),
        "base64 of blanks": (b"Content-Transfer-Encoding: base64\r\n\r\n", b" \n"),
        "quoted": (b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=\n=3D"),
        "lines": (b"X: y\r\n", b" z\r\n"),
        "line ends": (b"\r\n", b"\r\n"),
        "boundaries": (b"\r\n", boundary[:-1] + b"\n"),
        "dashes": (b"\r\n", b"\n--"),
    }
    cases = {
        name: lambda n, s=start, u=unit: replace(
            message, body=message.body.replace(head, head + s + u * (n // len(u)) + b"\r\n")
        )
        for name, (start, unit) in starts.items()
    }

    assert not faults(cases, answer)


def test_an_envelope_of_any_shape_is_read_in_proportion_to_its_size():
    """It is a trusted provider's, but may hold what its customers have written."""
    scope = "<sh:Scope><sh:Type>{}</sh:Type><sh:InstanceIdentifier/></sh:Scope>"
    fillings = {
        "scopes": lambda n: "".join(scope.format(f"T{i}") for i in range(n // 70)),
        "same scopes": lambda n: scope.format("T") * (n // 70),
        "long scope": lambda n: scope.format("T" * n),
        "blanks": lambda n: scope.format(" " * n),
    }
    start = f"<sh:Scope><sh:Type>{COUNTRY.partition('<sh:Type>')[2]}"
    assert start in WRITTEN
    cases = {
        name: lambda n, f=filling: WRITTEN.replace(start, f(n) + start).encode()
        for name, filling in fillings.items()
    }
    cases["attributes"] = lambda n: WRITTEN.replace(
        "<sh:BusinessScope", f"<sh:BusinessScope{FLOODS['attributes'](n)}"
    ).encode()
    cases["instance id"] = lambda n: WRITTEN.replace(HEADER.instance_id, "x" * n).encode()

    def read(data):
        with suppress(sbdh.InvalidEnvelope):
            sbdh.read(data, max_bytes=1 << 20)

    assert not faults(cases, read)


def test_metadata_of_any_shape_are_refused_in_proportion_to_their_size():
    """Namespaces cost libxml2 the cube in this form of canonical XML."""
    body = smp_servers.information(samples.RECEIVER)
    signed = smp_servers.signed(body, pki.leaf(pki.SMPS, "POP000010"))
    cases = {}
    for place in ("<SignedServiceMetadata", "<SignedInfo"):
        for name, flood in FLOODS.items():
            cases[f"{place} {name}"] = lambda n, p=place, f=flood: _with(signed, p, p + f(n))
    for end in ("</SignedInfo>", "</SignedServiceMetadata>", "</X509Data>"):
        for name, children in CHILDREN.items():
            cases[f"{end} {name}"] = lambda n, e=end, c=children: _with(
                signed, e, c(n).replace("ds:", "") + e
            )
    cases["namespaces and their elements"] = lambda n: _with(signed, *_used_namespaces(n // 30))

    def read(content):
        with suppress(InvalidSignatureOfDocument, NotXml):
            verified(content, 1 << 20, anyone)

    assert not faults(cases, read)


def _used_namespaces(count):
    """A child with namespaces, each of which an element below it uses."""
    declared = FLOODS["namespaces"](16 * count)
    used = "".join(f"<a{i}:b/>" for i in range(count))
    return "<ServiceMetadata>", f"<ServiceMetadata><a{declared}>{used}</a>"


def _with(content, old, new):
    assert old.encode() in content
    return content.replace(old.encode(), new.encode(), 1)


def test_an_answer_of_any_shape_is_read_in_proportion_to_its_size(c2, c3):
    """Of an access point to which a message was sent."""
    error = b'<eb:Error errorCode="EBMS:0004" refToMessageInError="m" shortDescription="x"/>'

    assert not faults(
        {
            "errors": lambda n: error * (n // len(error)),
            "text": lambda n: b"<html>" * (n // 6),
        },
        answers.read,
    )
