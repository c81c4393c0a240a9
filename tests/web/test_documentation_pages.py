"""/docs/<page>.md and /llms.txt: the pages of docs/, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from einvoice.web.documentation import pages

DOCS = Path(__file__).parents[2] / "docs"

# What answers is the same code on both databases.
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


def test_every_page_is_served_but_those_about_the_inside(service):
    client = service.test_client()
    found = {p.name: client.get(f"/docs/{p.name}").status_code for p in DOCS.glob("*.md")}

    assert {name for name, status in found.items() if status != 200} == pages.INTERNAL
    answer = client.get("/docs/integrators.md")
    assert answer.content_type == "text/markdown; charset=utf-8"
    assert answer.text.startswith("# For integrators")


def test_every_link_of_a_page_leads_to_a_served_page_or_another_host(service):
    """None leads to sources, tests or pictures."""
    wrong = []
    for name in pages.names():
        text = re.sub(r"^```.*?^```$", "", pages.page(name) or "", flags=re.MULTILINE | re.DOTALL)
        targets = re.findall(r"\]\(([^)\s]+)\)", text)
        local = [each for each in targets if not each.startswith(("#", "http"))]
        wrong += [(name, each) for each in local if each.partition("#")[0] not in pages.names()]

    assert wrong == []
    assert "pictures/" not in (pages.page("dashboard.md") or "")


def test_the_index_lists_each_page_once(service):
    answer = service.test_client().get("/llms.txt")
    listed = re.findall(r"^- \[.+\]\(/docs/([\w-]+\.md)\): .+\.$", answer.text, re.MULTILINE)

    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.text.startswith("# einvoice\n\n> ")
    assert sorted(listed) == list(pages.names())


def test_pages_are_cached_and_confirmed(service):
    client = service.test_client()
    for path in ("/docs/webhooks.md", "/llms.txt"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})

        assert first.headers["Cache-Control"] == "public, max-age=3600"
        assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    "name",
    [
        "decisions.md", "..%2fREADME.md", "../README.md", "..%2f..%2fsetup.cfg", "markdown%2fv1.md",
        "v1.md%00", "V1.MD", ".md", "pages.py", "x" * 10_000 + ".md",
    ],
)  # fmt: skip
def test_no_other_file_is_served(service, name):
    assert service.test_client().get(f"/docs/{name}").status_code == 404
