"""Every command of `einvoice` that a page prints, or `einvoice doctor` names as a fix, exists, with
its options and arguments.

Blocks of `bash` are run as well (test_examples); the others need an authority, a cluster or a
disaster. A command within a sentence may be cut short.
"""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from einvoice import config
from einvoice.cli import doctor, doctor_checks, doctor_tls, doctor_work, main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```(?:bash|sh|)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[\s(])(?<!-n )(?<!from )(?<!database in )einvoice ([a-z][^|;&)>]*)")
ELLIPSIS = "…"


def commands_in(code: str) -> Iterator[list[str]]:
    """The words of each command, without comments; continued lines are one."""
    for line in code.replace("\\\n", " ").splitlines():
        for found in COMMAND.findall(line):
            yield shlex.split(re.sub(r"\[.*?\]", "", found), comments=True)


def commands_of(text: str) -> Iterator[tuple[list[str], bool]]:
    """The commands of a page, and whether each is whole: those of blocks are."""
    for whole, codes in (
        (True, BLOCK.findall(text)),
        (False, re.findall(r"`([^`\n]+)`", FENCED.sub("", text))),
    ):
        for code in codes:
            yield from ((words, whole) for words in commands_in(code))


def fault_of(words: list[str], *, whole: bool) -> str:
    """The reason why click would refuse the words; "" if it would not."""
    context, command = click.Context(main, info_name="einvoice"), main
    try:
        while isinstance(command, click.Group) and words:
            if words[0].startswith("-"):
                break
            name, command, words = command.resolve_command(context, words)
            context = click.Context(command, parent=context, info_name=name)
        options, surplus, _ = command.make_parser(context).parse_args(
            [word for word in words if word != ELLIPSIS]
        )
    except click.NoSuchOption as fault:
        return fault.format_message()
    except click.UsageError as fault:
        return fault.format_message() if whole or isinstance(command, click.Group) else ""
    missing = [p.name for p in command.params if p.required and p.name not in _given(options)]
    if surplus:
        return f"too much: {surplus}"
    return f"missing: {missing}" if whole and (missing or isinstance(command, click.Group)) else ""


def _given(options: dict[str, object]) -> set[str]:
    return {
        name for name, value in options.items() if isinstance(value, str | tuple | list) and value
    }


def test_every_printed_command_exists(monkeypatch):
    monkeypatch.setattr(config, "share_metrics", lambda: None)  # of this process
    monkeypatch.setenv("EINVOICE_MAIL_FROM", "invoices@example.com")  # offers `einvoice mail`
    wrong = [
        f"{page.name}: einvoice {shlex.join(words)}: {fault}"
        for page in PAGES
        for words, whole in commands_of(page.read_text())
        if (fault := fault_of(words, whole=whole))
    ]

    assert wrong == []


# -- doctor ----------------------------------------------------------------------------------------

OF_FIXES = re.compile(r"einvoice ([a-z][^,;:()]*)")
NAMED = "TENANT 0208 --environment live"  # what `_named` of doctor_work gives


def fixes(module: ModuleType) -> Iterator[str]:
    """The second argument of each Problem, with a word in place of each value."""
    for call in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Problem":
            yield "".join(_texts(call.args[1]))


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield str(node.value)
    for part in getattr(node, "values", ()):
        if isinstance(part, ast.FormattedValue):
            yield NAMED if "_named" in ast.dump(part.value) else "live"
        else:
            yield from _texts(part)


def test_every_command_of_a_fix_exists(monkeypatch):
    monkeypatch.setattr(config, "share_metrics", lambda: None)  # of this process
    found = [fix for one in (doctor, doctor_checks, doctor_tls, doctor_work) for fix in fixes(one)]
    commands = [
        words.replace(ELLIPSIS, "words") for fix in found for words in OF_FIXES.findall(fix)
    ]
    wrong = {
        words: fault for words in commands if (fault := fault_of(shlex.split(words), whole=True))
    }

    assert len(commands) > 15
    assert wrong == {}


@pytest.mark.parametrize(
    ("printed", "fault"),
    [
        ("einvoice tenants purge TENANT", ""),
        ("einvoice tenants purge", "missing"),
        ("einvoice tenants purge TENANT OTHER", "too much"),
        ("einvoice tenants purge TENANT --gently", "No such option"),
        ("einvoice tenants melt", "No such command"),
        ("einvoice tenants", "missing"),
    ],
)
def test_a_command_that_click_would_refuse_is_found(printed, fault):
    (words,) = commands_in(printed)

    assert fault_of(words, whole=True).startswith(fault)
    assert bool(fault_of(words, whole=True)) == bool(fault)
