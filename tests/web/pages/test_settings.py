"""The pages of settings."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

from einvoice.domain.errors import ComputingUnavailable
from einvoice.domain.roles import Role
from einvoice.web.dashboard import settings
from tests.web.pages.visitor import Visitor

SETTINGS = "/dashboard/settings"
FORM = {
    "name": "Example NV", "displayName": "Example", "colour": "#0b5fff",
    "addressLines": "Street 1\r\n\r\n 9000 Gent ", "iban": "BE68 5390 0754 7034",
    "email": "billing@example.com", "embedPdf": "yes",
}  # fmt: skip


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


def profile(visitor):
    return visitor.person.get("/api/tenant").json


def picture(side=8, form="PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(written, form)
    return written.getvalue()


def uploaded(visitor, content):
    return visitor.post(SETTINGS, FORM | {"logo": (io.BytesIO(content), "logo.png")})


def test_the_profile_is_changed_and_shown(visitor):
    done = visitor.post(SETTINGS, FORM)
    assert "Saved." in visitor.get(done.headers["Location"]).text
    stored, page = profile(visitor), visitor.get(SETTINGS).text

    assert (stored["name"], stored["colour"], stored["email"]) == (
        "Example NV", "#0b5fff", "billing@example.com",
    )  # fmt: skip
    assert stored["addressLines"] == ["Street 1", "9000 Gent"]
    assert stored["iban"] == "BE68539007547034"
    assert (stored["embedPdf"], stored["rejectDuplicateNumbers"]) == (True, False)
    assert 'name="embedPdf" value="yes" checked' in page
    assert 'name="rejectDuplicateNumbers" value="yes">' in page
    assert "Street 1\n9000 Gent</textarea>" in page


def test_blank_fields_are_removed_and_others_that_the_form_lacks_stay(visitor):
    choices = [{"supplierCountry": "BE", "buyerCountry": "FR", "network": "peppol"}]
    visitor.person.patch("/api/tenant", {"networkChoices": choices})
    visitor.post(SETTINGS, FORM)
    visitor.post(SETTINGS, {"name": "Example NV"})
    stored = profile(visitor)

    assert (stored["colour"], stored["iban"], stored["addressLines"]) == (None, None, [])
    assert (stored["embedPdf"], stored["networkChoices"]) == (False, choices)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"colour": "blue"}, "colour"),
        ({"iban": "BE69 5390 0754 7034"}, "iban"),
        ({"bic": "no"}, "bic"),
        ({"email": "nowhere"}, "email"),
        ({"addressLines": "1\n2\n3\n4\n5\n6\n7"}, "addressLines"),
        ({"addressLines": "x" * 101}, "addressLines"),
    ],
)
@pytest.mark.parametrize("path", [SETTINGS, f"{SETTINGS}/preview.pdf"])
def test_a_wrong_field_is_shown_and_what_was_typed_is_kept(visitor, change, field, path):
    answer = visitor.post(path, FORM | {"phone": "+32 9 123"} | change)

    assert answer.status_code == 409
    assert f'id="{field}-error"' in answer.text
    assert 'value="+32 9 123"' in answer.text
    assert profile(visitor)["phone"] is None


def test_the_preview_has_the_values_of_the_form_and_stores_nothing(visitor):
    stored = visitor.get(f"{SETTINGS}/preview.pdf")
    made = visitor.post(f"{SETTINGS}/preview.pdf", FORM)

    assert stored.content_type == made.content_type == "application/pdf"
    assert made.data.startswith(b"%PDF")
    assert made.data != stored.data
    assert profile(visitor)["colour"] is None
    visitor.post(SETTINGS, FORM)
    assert visitor.get(f"{SETTINGS}/preview.pdf").data == made.data


def test_the_frame_is_redrawn_with_what_is_typed_and_the_chosen_logo(visitor):
    """Nothing is stored; the frame is one of this host."""
    stored = visitor.get(f"{SETTINGS}/drawn")
    typed = visitor.post(f"{SETTINGS}/drawn", FORM)
    logo = (io.BytesIO(picture()), "logo.png")
    chosen = visitor.post(f"{SETTINGS}/drawn", FORM | {"logo": logo})

    assert {each.content_type for each in (stored, typed, chosen)} == {"application/pdf"}
    assert len({each.data for each in (stored, typed, chosen)}) == 3
    assert "frame-ancestors 'self'" in typed.headers["Content-Security-Policy"]
    assert (profile(visitor)["colour"], profile(visitor)["logo"]) == (None, None)


@pytest.mark.parametrize(
    ("colour", "logo", "words"),
    [("blue", b"", "/colour"), ("#0b5fff", b"no image", "PNG or JPEG")],
)
def test_the_frame_says_why_nothing_is_drawn(visitor, colour, logo, words):
    form = FORM | {"colour": colour, "logo": (io.BytesIO(logo), "logo.png")}
    answer = visitor.post(f"{SETTINGS}/drawn", form)

    assert answer.status_code == 409
    assert words in answer.text
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]


def test_the_frame_says_that_no_process_has_time(visitor, monkeypatch):
    def busy(*_):
        raise ComputingUnavailable("Too many long computations are waiting.")

    monkeypatch.setattr(settings.pdf, "preview", busy)
    answer = visitor.get(f"{SETTINGS}/drawn")

    assert answer.status_code == 409
    assert "Too many long computations" in answer.text


def test_a_logo_is_uploaded_shown_and_removed(visitor):
    content = picture()
    assert uploaded(visitor, content).status_code == 303
    address = re.search(rf'src="({SETTINGS}/logo[^"]*)"', visitor.get(SETTINGS).text)[1]
    shown = visitor.get(address)
    assert (shown.data, shown.content_type) == (content, "image/png")
    visitor.post(f"{SETTINGS}/logo/delete")

    assert "There is no logo" in visitor.get(SETTINGS).text
    assert visitor.get(f"{SETTINGS}/logo").status_code == 404


@pytest.mark.parametrize(
    "content",
    [
        lambda: b"",
        lambda: b"no image",
        lambda: picture(form="GIF"),
        lambda: picture(side=4001),
        lambda: b"\x00" * 140_000,
    ],
    ids=["empty", "no image", "GIF", "too wide", "too many bytes"],
)
def test_a_file_that_is_no_logo_says_why_and_the_logo_stays(visitor, content):
    before = picture()
    uploaded(visitor, before)
    answer = uploaded(visitor, content())

    assert answer.status_code == 409
    assert 'role="alert"' in answer.text
    assert visitor.get(f"{SETTINGS}/logo").data == before


def test_a_member_reads_the_profile_and_changes_nothing(visitor, app):
    member = Visitor(app, visitor.tenant, Role.MEMBER)
    page = member.get(SETTINGS).text

    assert "<fieldset disabled>" in page
    assert f'action="{SETTINGS}/logo' not in page
    assert f'action="{SETTINGS}/drawn' not in page
    assert member.get(f"{SETTINGS}/preview.pdf").status_code == 200
    for path in ("", "/preview.pdf", "/drawn", "/logo/delete"):
        assert member.post(f"{SETTINGS}{path}", FORM).status_code == 403


def test_an_owner_ends_the_sessions_of_everyone(visitor, app):
    ben = Visitor(app, visitor.tenant, Role.MEMBER, subject="ben")
    stranger = Visitor(app)
    assert "End all sessions" in visitor.get(f"{SETTINGS}/sessions").text
    done = visitor.post(f"{SETTINGS}/sessions")
    assert (done.status_code, done.headers["Location"]) == (303, "/dashboard/logged-out")

    for each, status in ((visitor, 303), (ben, 303), (stranger, 200)):
        assert each.get(SETTINGS).status_code == status


def test_one_button_stores_the_profile_and_the_logo_or_neither(visitor):
    """Each of two buttons would drop the half of the other."""
    page = visitor.get(SETTINGS).text
    saved = re.findall(r"<button[^>]*>(?:Save|Upload)</button>", page)
    whole = visitor.post(SETTINGS, FORM | {"logo": (io.BytesIO(picture()), "a.png")})
    wrong = visitor.post(
        SETTINGS, FORM | {"website": "https://new.example", "logo": (io.BytesIO(b"GIF"), "a.png")}
    )

    assert not [each for each in saved if "formaction" in each]
    assert whole.status_code == 303
    assert profile(visitor)["email"] == "billing@example.com"
    assert visitor.get(f"{SETTINGS}/logo").data == picture()
    assert wrong.status_code == 409
    assert profile(visitor).get("website") != "https://new.example"


def test_an_owner_sees_who_has_a_session_and_ends_the_access_of_one(visitor, app):
    ben, cy = (Visitor(app, visitor.tenant, Role.MEMBER, subject=each) for each in ("ben", "cy"))
    stranger = Visitor(app, subject="zed")
    page = visitor.get(f"{SETTINGS}/sessions").text
    done = visitor.post(f"{SETTINGS}/sessions", {"subject": "ben"})
    after = visitor.followed(done).text
    blank = visitor.post(f"{SETTINGS}/sessions", {"subject": " "})

    assert {name for name in ("ann", "ben", "cy", "zed") if f'value="{name}"' in page} == {
        "ann", "ben", "cy",
    }  # fmt: skip
    assert "The sessions of this person have ended." in after
    assert 'value="ben"' not in after
    assert (blank.status_code, visitor.get(SETTINGS).status_code) == (409, 200)
    assert ben.get(SETTINGS).status_code == 303
    assert cy.get(SETTINGS).status_code == 200
    assert stranger.get(SETTINGS).status_code == 200


def test_an_administrator_is_not_offered_the_end_of_sessions(visitor, app):
    admin = Visitor(app, visitor.tenant, Role.ADMIN)

    assert f"{SETTINGS}/sessions" not in admin.get(SETTINGS).text
    assert admin.get(f"{SETTINGS}/sessions").status_code == 403
    assert admin.post(f"{SETTINGS}/sessions").status_code == 403
    assert visitor.get(SETTINGS).status_code == 200


def test_owners_are_told_where_people_get_their_roles(app):
    page = Visitor(app).get("/dashboard/settings/sessions").text

    assert "the role of each person, is set at your identity provider" in page
    assert "Invite people" not in page


def test_owners_are_led_to_where_people_are_invited(make_app):
    there = "https://login.example/admin?a=1&b=2"
    page = Visitor(make_app(people_url=there)).get("/dashboard/settings/sessions").text

    assert 'href="https://login.example/admin?a=1&amp;b=2"' in page
    assert "Invite people and change roles</a>" in page
