"""The regular expressions of the service and its plugins, and texts that are hard for each.

A pattern is found where it is written: a call of a function of `re` in the sources. Its name is
that of the module, of the class or function around it, and of the variable that holds it.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ROOT = Path(__file__).parents[1]
FUNCTIONS = {
    "compile", "sub", "subn", "match", "fullmatch", "search", "split", "findall", "finditer",
}  # fmt: skip
_MAX_PARTS = 40  # of one pattern, from which texts are made
# What begins, ends or separates something in the texts that the service reads.
_COMMON = (
    "{", "<", "<!--", "<?", "<![CDATA[", "(", "[", "#", "&#", "'", '"', "=", "%", "/", "//", "\\",
    " ", "\t", "\n", "\r\n", ".", ",", "-", ":", "::", "@", "0", "0.", "0,", "a", "A", "a.", "a-",
    "a:", "a=", "é", "\x00", "{a", "<a ", "a@",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern.

    forms     what it compiles to; empty if it is made from values of the time it runs
    anchored  its uses are `match` and `fullmatch` alone
    """

    name: str
    forms: tuple[re.Pattern[Any], ...]
    anchored: bool


# -- where patterns are ----------------------------------------------------------------------------


def patterns() -> list[Found]:
    """Every pattern of einvoice, jobs and the plugins."""
    packages = [ROOT / "einvoice", ROOT / "jobs", *ROOT.glob("plugins/*/einvoice_*")]
    return [
        found
        for package in packages
        for path in sorted(package.rglob("*.py"))
        for found in _patterns_of(path, package.parent)
    ]


def _patterns_of(path: Path, top: Path) -> Iterator[Found]:
    text = path.read_text()
    if not re.search(r"^import re\b|^from re import", text, re.MULTILINE):
        return
    calls = _Calls()
    calls.visit(ast.parse(text))
    name = ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    seen: dict[str, int] = {}
    for call, scope in calls.found:
        full = ".".join((name, *scope))
        seen[full] = seen.get(full, 0) + 1
        full += f"#{seen[full]}" if seen[full] > 1 else ""
        forms = tuple(_forms(call, scope, vars(module)))
        yield Found(full, forms, _is_anchored(call, scope, text))


class _Calls(ast.NodeVisitor):
    """The calls of functions of `re`, each with the names around it."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.Call, tuple[str, ...]]] = []
        self._scope: tuple[str, ...] = ()

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func) in {f"re.{name}" for name in FUNCTIONS}:
            self.found.append((node, self._scope))
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        before, name = self._scope, _name_of(node)
        self._scope += (name,) if name else ()
        super().generic_visit(node)
        self._scope = before


def _name_of(node: ast.AST) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _forms(
    call: ast.Call, scope: tuple[str, ...], values: dict[str, Any]
) -> Iterator[re.Pattern[Any]]:
    flags = [each.value for each in call.keywords if each.arg == "flags"]
    flags += [arg for arg in call.args[1:] if ast.unparse(arg).startswith("re.")]
    try:
        form = _value(call.args[0], values)
        yield re.compile(form, _value(flags[0], values) if flags else 0)
    except (NameError, TypeError):  # made of local values: those that the module holds
        yield from _held(values.get(scope[0])) if scope else ()


def _value(written: ast.expr, values: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(written), "pattern", "eval"), dict(values))


def _held(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _held(each)


def _is_anchored(call: ast.Call, scope: tuple[str, ...], text: str) -> bool:
    function = ast.unparse(call.func).removeprefix("re.")
    if function != "compile":
        return function in ("match", "fullmatch")
    name = scope[-1] if scope else ""
    if not name.startswith("_"):
        return False
    uses = re.findall(rf"\b{name}\b(?!\s*[:=][^=])(\.\w+)?", text)
    return bool(uses) and set(uses) <= {".match", ".fullmatch"}


# -- texts that are hard for a pattern -------------------------------------------------------------


def hard_units(form: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Texts as (beginning, what is repeated, end): its own parts, and what is common.

    Its beginnings of any length are repeated, and each is followed by one of its characters again
    and again, and by something that ends no match.
    """
    written = form.pattern
    source = written.decode("latin-1") if isinstance(written, bytes) else written
    beginnings = list(_beginnings(parser.parse(source, form.flags & ~re.UNICODE & ~re.LOCALE)))
    letters = sorted({letter for beginning in beginnings for letter in beginning[-1:]})
    for beginning in beginnings:
        yield "", beginning, "!"
        yield "", beginning, ""
    for beginning in ["", *beginnings[:: max(1, len(beginnings) // 6)]]:
        for letter in letters[:12]:
            yield beginning, letter, "!"
    for unit in _COMMON:
        yield "", unit, "!"


def _beginnings(parsed: Any) -> Iterator[str]:
    """What matches the first part of a pattern, its first two, and so on."""
    text = ""
    for part in list(parsed)[:_MAX_PARTS]:
        for variant in _samples(part)[:4]:
            if variant:
                yield text + variant
        text += _samples(part)[0]


def _samples(part: Any) -> list[str]:
    """Texts that one part of a pattern matches, the shortest first."""
    kind, value = str(part[0]), part[1]
    match kind:
        case "LITERAL":
            return [chr(value)]
        case "ANY":
            return ["a", " "]
        case "NOT_LITERAL":
            return ["a" if value != ord("a") else "b"]
        case "IN":
            return _of_class(value)
        case "SUBPATTERN":
            return _of_sequence(value[3])
        case "ATOMIC_GROUP":
            return _of_sequence(value)
        case "BRANCH":
            return [text for branch in value[1] for text in _of_sequence(branch)[:2]][:8] or [""]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, repeated = value
            return [text * max(1, min(least, 64)) for text in _of_sequence(repeated)]
    return [""]


def _of_sequence(parsed: Any) -> list[str]:
    parts = [_samples(part) for part in parsed]
    return [
        "".join(each[min(number, len(each) - 1)] for each in parts)
        for number in range(max((len(each) for each in parts), default=1))
    ][:4]


def _of_class(members: Any) -> list[str]:
    """A character of each member; one that is in none of them for a negated class."""
    kinds = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
    found = [_of_member(str(kind), value, kinds) for kind, value in members]
    if str(members[0][0]) != "NEGATE":
        return [each for each in found if each] or ["a"]
    return [each for each in "a0 {<.'" if each not in found]


def _of_member(kind: str, value: Any, kinds: dict[str, str]) -> str:
    match kind:
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
        case "CATEGORY":
            return kinds.get(str(value), "-")
    return ""
