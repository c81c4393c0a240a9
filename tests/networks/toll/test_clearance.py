"""A network that clears invoices: nothing is handed out before, and its seal is printed after."""

from __future__ import annotations

import io
from dataclasses import replace

import facturx
import pikepdf
import pytest
from pypdf import PdfReader

import einvoice_loopback
from einvoice.domain.additions import Additions, Handout, QrCode
from einvoice.domain.delivery import Clearance
from einvoice.web.runtime import runtime_of
from tests.networks import toll
from tests.networks.toll import form
from tests.networks.toll.selling import a_send
from tests.web.buyer.shop import BROWSER
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard


def sent(caller, **invoice) -> str:
    answer = caller.send(a_send(**invoice))
    assert answer.status_code == 200, answer.text
    return answer.json["invoiceId"]


def pdf_of(caller, invoice, query=""):
    return caller.get(f"/api/invoices/{invoice}/pdf{query}")


def text_of(content: bytes) -> str:
    return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def attachments(content: bytes) -> dict[str, bytes]:
    with pikepdf.open(io.BytesIO(content)) as made:
        return {name: file.get_file().read_bytes() for name, file in made.attachments.items()}


def code_of(caller, invoice) -> str:
    """What the authority has put into its seal."""
    path = f"/api/invoices/{invoice}/artefacts"
    (item,) = caller.get(f"{path}?type=TOLL_SEAL").json["items"]
    return caller.get(f"{path}/{item['artefactId']}").text.partition("<Code>")[2][:24]


def kinds(caller, invoice) -> set[str]:
    items = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    return {item["type"] for item in items}


@pytest.mark.parametrize("query", ["", "?format=factur-x"])
def test_there_is_no_pdf_before_the_clearance(caller, query):
    """The refusal says when there is one, under /api and /v1, to programs and people."""
    invoice = sent(caller)
    person = Dashboard(caller.app, caller.tenant)
    for answer in (
        pdf_of(caller, invoice, query),
        person.get(f"/api/invoices/{invoice}/pdf{query}"),
        caller.bearer("GET", f"/v1/invoices/{invoice}/pdf{query}"),
    ):
        assert (answer.status_code, slug(answer)) == (409, "not-cleared")
        assert answer.json["networkStatus"] == "Processing"
        assert "as soon as networkStatus is Delivered" in answer.json["detail"]
    assert slug(person.post(f"/api/invoices/{invoice}/share")) == "not-shareable"
    caller.work()

    assert pdf_of(caller, invoice, query).status_code == 200
    assert person.post(f"/api/invoices/{invoice}/share").status_code == 200


def test_a_refused_invoice_has_no_pdf_at_all(caller, point):
    point.refused.add("T-1")
    invoice = sent(caller)
    caller.work()
    answer = pdf_of(caller, invoice)

    assert (slug(answer), answer.json["networkStatus"]) == ("not-cleared", "Failed")
    assert "send it again" in answer.json["detail"]


def test_the_pdf_has_what_only_the_clearance_has_made_known(caller):
    """Code, caption, line and file of the seal, beside the bill's own XML."""
    invoice = sent(caller)
    caller.work()
    made = pdf_of(caller, invoice).data

    assert "Sealed by the toll authority" in text_of(made)
    assert "TOLL-T-1" in text_of(made)
    files = attachments(made)
    assert files.keys() == {"invoice.xml", "toll-seal.xml"}
    assert code_of(caller, invoice).encode() in files["toll-seal.xml"]


def test_factur_x_has_the_seal_as_a_supplement(caller):
    """The invoice stays the alternative form of the pages, for programs that read it."""
    invoice = sent(caller)
    caller.work()
    made = pdf_of(caller, invoice, "?format=factur-x").data

    with pikepdf.open(io.BytesIO(made)) as opened:
        relations = {
            name: str(file.obj["/AFRelationship"]) for name, file in opened.attachments.items()
        }
    assert relations == {"factur-x.xml": "/Alternative", "toll-seal.xml": "/Supplement"}
    name, _ = facturx.get_xml_from_pdf(made)
    assert name == "factur-x.xml"


def test_the_pdf_before_is_not_the_one_after(caller, point, monkeypatch):
    """Where a preview is allowed it is marked, and never stored."""
    can = replace(point.capabilities, clearance=Clearance.MARKED)
    monkeypatch.setattr(point, "capabilities", can)
    invoice = sent(caller)
    before = pdf_of(caller, invoice).data
    assert "Nog niet goedgekeurd door de overheid" in text_of(before)
    assert "toll authority" not in text_of(before)
    assert attachments(before).keys() == {"invoice.xml"}
    assert "PDF" not in kinds(caller, invoice)
    caller.work()
    after = pdf_of(caller, invoice).data

    assert "Nog niet" not in text_of(after)
    assert "Sealed by the toll authority" in text_of(after)
    assert "PDF" in kinds(caller, invoice)
    assert pdf_of(caller, invoice).data == after


def test_later_evidence_makes_another_pdf(caller, point, monkeypatch):
    """The stored one is of what was known when it was made."""
    invoice = sent(caller)
    caller.work()
    first = pdf_of(caller, invoice).data
    change_additions(caller, monkeypatch, later_additions)
    second = pdf_of(caller, invoice).data

    assert "Corrected" not in text_of(first)
    assert "Corrected" in text_of(second)


def change_additions(caller, monkeypatch, additions):
    networks = runtime_of(caller.app).forms.networks
    later = replace(form.PROFILE, additions=additions)
    monkeypatch.setitem(networks, "toll", replace(networks["toll"], profiles=(later,)))


def later_additions(handout: Handout) -> Additions:
    return Additions(lines=("Corrected",))


def broken_additions(handout: Handout) -> Additions:
    raise LookupError("seal of " + handout.invoice.number)


def wrong_additions(handout: Handout) -> str:
    return "Corrected"


@pytest.mark.parametrize("additions", [broken_additions, wrong_additions])
def test_without_its_additions_an_invoice_is_not_handed_out(caller, monkeypatch, additions):
    """What the profile raises is logged, and neither the PDF nor the buyer's page shows it."""
    invoice = sent(caller)
    caller.work()
    share = Dashboard(caller.app, caller.tenant).post(f"/api/invoices/{invoice}/share")
    change_additions(caller, monkeypatch, additions)
    link = f"/api/invoices/view/{share.json['shareToken']}"
    for answer in (
        pdf_of(caller, invoice),
        pdf_of(caller, invoice, "?format=factur-x"),
        caller.client.get(link),
        caller.client.get(f"{link}/pdf"),
    ):
        assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
        assert "seal of" not in answer.text
    assert "PDF" not in kinds(caller, invoice)


def test_the_buyer_s_page_shows_the_code_in_the_language_of_its_reader(caller):
    invoice = sent(caller)
    caller.work()
    share = Dashboard(caller.app, caller.tenant).post(f"/api/invoices/{invoice}/share")
    link = f"/api/invoices/view/{share.json['shareToken']}"
    body = caller.client.get(link).json
    german = caller.client.get(link, headers={"Accept": BROWSER, "Accept-Language": "de"}).text

    caption = "Sealed by the toll authority"
    text = f"TOLL-T-1;{code_of(caller, invoice)}"
    assert body["codes"] == [{"text": text, "caption": caption}]
    assert body["lines"] == [f"{caption}: TOLL-T-1"]
    assert "Von der Mautbehörde gesiegelt: TOLL-T-1" in german
    assert 'src="data:image/svg+xml;base64,' in german
    assert caller.client.get(f"{link}/pdf").data == pdf_of(caller, invoice).data


def test_no_pdf_is_embedded_before_the_clearance(caller):
    """A warning says so."""
    answer = caller.send(a_send() | {"options": {"embedPdf": True}})
    caller.work()
    invoice = answer.json["invoiceId"]

    assert [w["code"] for w in answer.json["warnings"]].count("pdf-not-embedded") == 1
    assert "PDF" not in kinds(caller, invoice)
    assert "toll-seal.xml" in attachments(pdf_of(caller, invoice).data)


def test_a_profile_without_additions_adds_nothing(make_app):
    caller = Caller(make_app([toll, einvoice_loopback]))
    invoice = caller.sent()

    assert attachments(pdf_of(caller, invoice).data).keys() == {"invoice.xml"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: QrCode("", "Caption"),
        lambda: QrCode("x" * 1_001, "Caption"),
        lambda: QrCode("x", "c" * 81),
        lambda: Additions(lines=("x" * 301,)),
        lambda: Additions(lines=("x",) * 21),
        lambda: Additions(codes=(QrCode("x", "c"),) * 5),
        lambda: Additions(lines=(1,)),
    ],
)
def test_additions_beyond_the_bounds_are_refused(make):
    with pytest.raises(ValueError, match=r"characters|at most"):
        make()
