"""The limits of what requests may occupy: one table, which processes have and docs print."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from einvoice.config import Settings
from einvoice.domain.errors import RateLimitExceeded, TooBusy
from einvoice.network import calls
from einvoice.services.computing.pool import Computing
from einvoice.services.send import batch
from einvoice.share import Beyond, Limit
from einvoice.web.admission import LIMITS, Admission, arrivals, slots, turns
from einvoice.web.admission.callers import Caller
from einvoice.web.runtime import runtime_of
from einvoice.web.serving.intake import Intake

ROOT = Path(__file__).resolve().parents[2]
MIB = 1024**2
# Where a Share is not of a limit of the table: the class itself.
NO_LIMIT = {"share"}


def number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value / MIB:g} MiB" if unit == "byte" else f"{value:,g}"


def shares(limit: Limit, unit: str) -> str:
    """Those of one caller, and of all unknown callers."""
    one = number(limit.of_one, unit)
    strangers = limit.of_strangers
    return one if strangers is None else f"{one}; all unknown callers together {strangers}"


def queue(limit: Limit) -> str:
    if limit.queue is None:
        return "their threads"
    of_one = "" if limit.queue_of_one is None else f", {limit.queue_of_one:,} of one caller"
    return f"{limit.queue:,}{of_one}" if limit.queue else "none"


def changing(row: Admission) -> str:
    """The settings that change the limit."""
    usual, found = row.limit(Settings()), []
    for name in ("max_waiters", "compute_processes", "compute_wait"):
        others = Settings(**{name: getattr(Settings(), name) + 4})
        if row.limit(others) != usual:
            found.append(f"`EINVOICE_{name.upper()}`")
    return ", ".join(found) or "–"


def printed(row: Admission) -> str:
    limit, unit = row.limit(Settings()), row.unit
    wait = "–" if limit.wait is None else f"{limit.wait:g} s"
    cells = (
        row.name, unit, number(limit.in_all, unit), shares(limit, unit), queue(limit), wait,
        row.refusal, changing(row),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def test_operators_md_prints_the_table():
    """With the default settings; the last column names the settings that change a row."""
    text = (ROOT / "docs" / "operators.md").read_text()
    wanted = [printed(row) for row in LIMITS]

    assert [row for row in wanted if row not in text] == []


def test_a_process_has_the_limits_of_the_table(app):
    """Each row is the limit of the Share that it names."""
    runtime = runtime_of(app)
    settings = runtime.settings
    intake = Intake(app, turns.number_of_turns(settings))
    computing = Computing.of(settings)
    used = [
        arrivals.Arrivals()._bodies.limit,
        arrivals.Arrivals()._bytes.limit,
        Limit(4),
        intake.turns.limit,
        slots._slots.limit,
        runtime.waiting_room._seats.limit,
        computing._turns.limit,
        computing._bulk_turns.limit,
        runtime.batch_turns.limit,
        calls.endpoints.of("any").limit,
    ]

    assert used == [row.limit(settings) for row in LIMITS]


def makes_a_share(path: Path) -> bool:
    """Whether the module calls `Share`, `Share[…]` or `share.Share`."""
    text = path.read_text()
    if "Share" not in text:
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name == "Share":
                return True
    return False


def test_every_share_is_in_the_table():
    package = ROOT / "einvoice"
    found = {
        ".".join(path.relative_to(package).with_suffix("").parts)
        for path in package.rglob("*.py")
        if makes_a_share(path)
    }

    assert found - NO_LIMIT == {row.where for row in LIMITS}


def test_requests_beyond_their_turns_are_refused_with_the_reason():
    """One caller with too many is told to send fewer, others to repeat their requests."""
    refusals = {
        (late, own): type(turns.refusal(Beyond(late, own))) for late in (0, 1) for own in (0, 1)
    }

    assert refusals == {
        (0, 0): TooBusy, (0, 1): RateLimitExceeded, (1, 0): TooBusy, (1, 1): TooBusy
    }  # fmt: skip


def test_callers_without_a_known_credential_have_half_of_the_turns_together():
    these = turns.turns_of(turns.limit_of_turns(10))
    strangers = [Caller(f"192.0.2.{number}", known=False) for number in range(10)]

    assert sum(these.enter(one) for one in strangers) == 5
    assert these.enter(Caller("t1", known=True))


def test_small_limits_leave_one_permit_to_each():
    """A process with few threads serves one caller, and an unknown one, all the same."""
    assert turns.limit_of_turns(1) == Limit(1, 1, 1, queue=1000, queue_of_one=100, wait=20.0)
    assert turns.limit_of_turns(10) == Limit(10, 4, 5, queue=1000, queue_of_one=100, wait=20.0)
    assert batch.limit_of_turns(Settings(max_waiters=1)).queue == 2


# -- the hooks of a send ---------------------------------------------------------------------------

STEP = re.compile(r"^\| 0\.(\d+) \|[^|]+\| `(web/[\w/]+)\.(\w+)` \|", re.MULTILINE)


def test_architecture_md_lists_the_hooks_of_a_send_in_their_order(make_app):
    """As steps of its path, numbered without a gap; with spans and origins, whose hooks depend."""
    app = make_app(traces="otlp", cors_origins="https://app.example")
    hooks = [*app.before_request_funcs[None], *app.before_request_funcs["public"]]
    text = (ROOT / "docs" / "architecture.md").read_text()
    listed = [(int(number), where, name) for number, where, name in STEP.findall(text)]

    assert [(where, name) for _, where, name in listed] == [
        (each.__module__.removeprefix("einvoice.").replace(".", "/"), each.__name__)
        for each in hooks
    ]
    assert [number for number, *_ in listed] == list(range(3, 3 + len(hooks)))
