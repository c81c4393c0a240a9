"""`GET /errors/<slug>` explains every problem type, to people and to programs (decisions 0.8)."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from einvoice.web.explanations import EXPLANATIONS, Retry
from einvoice.web.problems import PROBLEMS
from tests.tables import each_row

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """A parsed page: its elements in order, its text, and whether it is well nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements, self.words, self._open = [], [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open[-1:] != ["style"]:
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def ask(service):
    client = service.test_client()
    return lambda path, accept=None: client.get(path, headers={"Accept": accept} if accept else {})


def test_every_problem_type_has_an_explanation_and_no_other_has():
    assert set(EXPLANATIONS) == set(PROBLEMS)


@each_row("slug", PROBLEMS)
def test_an_explanation_has_complete_sentences(slug):
    """What it means, what to do, whether to retry, and each member of its own."""
    text = EXPLANATIONS[slug]

    for words in (text.meaning, text.action, text.advice, *text.members.values()):
        assert re.fullmatch(r"(?:[A-Z]|null|routing).{9,}\.", words), words
        assert "  " not in words


@each_row("slug", PROBLEMS)
def test_the_retry_advice_matches_the_status(slug):
    """400 not with the same data, 401 never, 429 and 5xx yes; damaged bytes need the operator."""
    status, retry = PROBLEMS[slug][0], EXPLANATIONS[slug].retry

    if slug == "archive-damaged":
        assert retry is Retry.DEPENDS
    elif status in {429, 500, 503}:
        assert retry is Retry.YES
    if status in {401, 403, 404, 405, 413, 415, 422}:
        assert retry is Retry.NO
    if status == 400:
        assert retry is not Retry.YES


@pytest.mark.parametrize(
    ("slug", "members"),
    [
        ("invalid-field", {"errors", "truncated"}),
        ("validation-failed", {"validationErrors", "findings", "validation"}),
        ("totals-mismatch", {"computedTotalAmount"}),
        (
            "network-failed",
            {
                "errorCode",
                "upstreamStatus",
                "retryable",
                "invoiceId",
                "transactionId",
                "id",
                "networkFindings",
            },
        ),
        ("duplicate-invoice", {"existingId"}),
        ("receiver-not-registered", {"receiverParticipantId"}),
        ("rate-limit-exceeded", set()),
    ],
)
def test_members_of_its_own_are_explained(slug, members):
    assert set(EXPLANATIONS[slug].members) == members


@each_row("slug", PROBLEMS)
def test_a_program_gets_json(ask, slug):
    answer = ask(f"/errors/{slug}")
    status, title = PROBLEMS[slug]

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json == {
        "type": f"http://127.0.0.1:8000/errors/{slug}",
        "slug": slug,
        "status": status,
        "title": title,
        "retry": EXPLANATIONS[slug].retry.value,
        "meaning": EXPLANATIONS[slug].meaning,
        "action": EXPLANATIONS[slug].action,
        "retryAdvice": EXPLANATIONS[slug].advice,
        "members": dict(EXPLANATIONS[slug].members),
        "provider": "eInvoice",
    }


@each_row("slug", PROBLEMS)
def test_a_browser_gets_a_page_with_the_same_words(ask, slug):
    answer = ask(f"/errors/{slug}", BROWSER)
    page, text = Page(answer.text), EXPLANATIONS[slug]

    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    for words in (PROBLEMS[slug][1], text.meaning, text.action, text.advice, *text.members):
        assert " ".join(words.split()) in page.text


def test_the_address_of_an_explanation_is_the_type_of_the_problem(service, ask):
    problem = ask("/api/participants/lookup").json
    answer = ask(problem["type"].removeprefix("http://127.0.0.1:8000"))

    assert answer.json["type"] == problem["type"]
    assert answer.json["title"] == problem["title"]


def test_the_list_names_every_problem_type(ask):
    items = ask("/errors").json["items"]
    page = Page(ask("/errors", BROWSER).text)

    assert [item["slug"] for item in items] == sorted(PROBLEMS)
    assert [link["href"] for link in page.all("a")] == [f"/errors/{s}" for s in sorted(PROBLEMS)]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/problem+json", "application/json"),
        ("text/html;q=0.5,application/json", "application/json"),
        ("text/html", "text/html"),
        (BROWSER, "text/html"),
    ],
)
def test_a_caller_preferring_html_gets_the_page(ask, accept, kind):
    answer = ask("/errors/not-found", accept)

    assert answer.mimetype == kind
    assert answer.headers["Vary"].removesuffix(", Accept-Encoding") == "Accept"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize("accept", [None, BROWSER])
@pytest.mark.parametrize("slug", ["nothing", "%3Cscript%3E", "NOT-FOUND", "a" * 2000])
def test_an_unknown_type_is_a_problem_itself(ask, slug, accept):
    answer = ask(f"/errors/{slug}", accept)

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.json["type"].endswith("/errors/not-found")


@pytest.mark.parametrize("path", ["/errors", "/errors/invalid-field", "/errors/internal-error"])
def test_a_page_loads_nothing_and_runs_nothing(ask, path):
    """The policy allows this one style, by its hash; the page asks for nothing else."""
    answer = ask(path, BROWSER)
    page = Page(answer.text)
    style = re.search(r"<style>(.*?)</style>", answer.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert answer.headers["Content-Security-Policy"].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
    assert not {"script", "img", "link", "iframe", "form"} & {tag for tag, _ in page.elements}
    assert not [a for _, a in page.elements if "style" in a or any(n.startswith("on") for n in a)]
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("path", ["/errors", "/errors/invalid-field", "/errors/internal-error"])
def test_a_page_is_accessible(ask, path):
    """Language, one heading and one main part, headed tables, ids once, both colour schemes."""
    answer = ask(path, BROWSER)
    page = Page(answer.text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]

    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("title")) == 1
    assert all("scope" in header for header in page.all("th"))
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} <= set(ids)
    assert "prefers-color-scheme: dark" in answer.text


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_have_enough_contrast(ask, scheme):
    """WCAG AA: at least 4.5 to 1, on both grounds and in both schemes."""
    text = ask("/errors", BROWSER).text
    block = text.split("prefers-color-scheme")[scheme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))

    for name in ("text", "quiet", "link", "no", "yes", "depends"):
        for ground in ("ground", "raised"):
            assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def _contrast(one, other):
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_explanations_need_no_key_and_are_not_counted(service, caller):
    answer = caller.get("/errors/not-found")

    assert answer.status_code == 200
    assert "X-RateLimit-Limit" not in answer.headers


def test_errors_base_is_the_prefix_of_types(build):
    """It may be on another host; the pages are served here as well."""
    client = build(errors_base="https://docs.example.com/problems/").test_client()

    found = client.get("/errors/not-found").json["type"]
    assert found == "https://docs.example.com/problems/not-found"
