"""The language of findings on pages: the pages' own, unless the browser's first is another one."""

from __future__ import annotations

import pytest

from einvoice.web.dashboard import cookies
from einvoice.web.dashboard.languages import finding_language, language

# Accept-Language and the language that the person chose in this browser → of pages, of findings.
CASES = {
    ("ar-SA, en", ""): ("en", "ar"),
    ("ar", ""): ("en", "ar"),
    ("en, ar", ""): ("en", "en"),
    ("ar, de", ""): ("de", "ar"),
    ("sv, de", ""): ("sv", "de"),
    ("ar, en", "de"): ("de", "de"),
    ("ar, de", "en"): ("en", "en"),
    ("", ""): ("en", "en"),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_findings_are_in_the_first_language_of_the_browser_unless_the_person_chose_one(app):
    found = {}
    for accepted, chosen in CASES:
        headers = {"Accept-Language": accepted} if accepted else {}
        with app.test_request_context("/dashboard/check", headers=headers):
            name = cookies._language_name()
        if chosen:
            headers["Cookie"] = f"{name}={chosen}"
        with app.test_request_context("/dashboard/check", headers=headers):
            found[accepted, chosen] = (language(), finding_language())

    assert found == CASES
