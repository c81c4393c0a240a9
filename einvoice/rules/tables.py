"""Tables of regular rules: one row for each, instead of a function.

Each function takes (id, terms, path) rows for one context and declares the rules with a check of
its kind, the requirement in words and the parameters that explanations need.
"""

from __future__ import annotations

from collections.abc import Iterable

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Flag, Kind, Values, never
from einvoice.rules.codelists import CodeList, code_list
from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, decimals
from einvoice.rules.view import View

Row = tuple[str, str, str]  # rule id, business terms, path below the context


def filled(chapter: Chapter, at: Context, rows: Iterable[Row], flag: Flag = Flag.FATAL) -> None:
    """The element must be present and not blank. Several are an evaluation error."""
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _filled(path), f"{path} is given and not empty",
            flag, Kind.PRESENCE, parameters={"path": path},
        )  # fmt: skip


def _filled(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        return None if node.text_of(path).strip(XML_SPACE) else {}

    return check


def not_blank(chapter: Chapter, at: Context, rows: Iterable[Row]) -> None:
    """An element on the path must not be blank; there may be several."""
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _not_blank(path), f"{path} is given and not empty",
            kind=Kind.PRESENCE, parameters={"path": path},
        )  # fmt: skip


def _not_blank(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        return None if any(text.strip(XML_SPACE) for text in node.texts(path)) else BROKEN

    return check


def present(chapter: Chapter, at: Context, rows: Iterable[Row], flag: Flag = Flag.FATAL) -> None:
    """The element (or "a/@attribute") must be present, with any content."""
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _present(path), f"{path} is given",
            flag, Kind.PRESENCE, parameters={"path": path},
        )  # fmt: skip


def _present(path: str) -> Check:
    steps, _, attribute = path.partition("@")
    element = steps.rstrip("/")
    if not attribute:
        return lambda node, _: None if node.all(element) else BROKEN
    if not element:
        return lambda node, _: None if attribute in node.attributes else BROKEN
    return lambda node, _: (
        None if any(attribute in found.attributes for found in node.all(element)) else BROKEN
    )


def absent(chapter: Chapter, at: Context, rows: Iterable[Row], flag: Flag = Flag.WARNING) -> None:
    """The element or attribute must not occur. The rule is run only if it does.

    "//path" means anywhere; "a/b | c/b" are alternatives.
    """
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _broken, f"{path} is not used",
            flag, Kind.ABSENCE, tuple(path.split(" | ")), parameters={"path": path},
        )  # fmt: skip


def unfired(chapter: Chapter, at: Context, rows: Iterable[tuple[str, str, str]]) -> None:
    """Rules that cannot be broken as officially written; the last column is their intent."""
    for rule, terms, requires in rows:
        chapter.add(rule, terms, at, never, requires)


def _broken(_: Node, __: View) -> Values | None:
    return BROKEN


def at_most_one(
    chapter: Chapter, at: Context, rows: Iterable[Row], flag: Flag = Flag.FATAL
) -> None:
    """The element occurs at most once below the context. Run only if something is repeated."""
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _at_most_one(path), f"at most one {path}",
            flag, Kind.CARDINALITY, (), (path,), {"path": path},
        )  # fmt: skip


def _at_most_one(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        count = len(node.all(path))
        return None if count <= 1 else {"count": count}

    return check


def two_decimals(
    chapter: Chapter, at: Context, rows: Iterable[Row], flag: Flag = Flag.FATAL
) -> None:
    """At most two decimals, counted on the text. Several elements are an evaluation error."""
    for rule, terms, path in rows:
        chapter.add(
            rule, terms, at, _two_decimals(path), f"{path} has at most two decimals",
            flag, Kind.FORMAT, parameters={"path": path, "decimals": 2},
        )  # fmt: skip


def _two_decimals(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        text = node.text_of(path)
        return None if decimals(text) <= 2 else {"text": text}

    return check


def coded(
    chapter: Chapter, at: Context, rule: str, terms: str, codes: str, attribute: str = "",
    *, required: bool = False, flag: Flag = Flag.FATAL,
) -> None:  # fmt: skip
    """The text of the node, or its attribute if present (or required), must be a code of a list."""
    chosen = code_list(codes)
    check = _coded_attribute(chosen, attribute, required) if attribute else _coded(chosen)
    chapter.add(
        rule, terms, at, check, f"a code of the list {chosen.title}",
        flag, Kind.CODE_LIST, parameters={"list": codes, "path": attribute and f"@{attribute}"},
    )  # fmt: skip


def _coded(chosen: CodeList) -> Check:
    codes = chosen.codes

    def check(node: Node, _: View) -> Values | None:
        if node.text in codes or node.text.strip(XML_SPACE) in codes:
            return None
        return {"code": node.text}

    return check


def _coded_attribute(chosen: CodeList, attribute: str, required: bool) -> Check:
    codes = chosen.codes
    absent_code = None if not required else ""

    def check(node: Node, _: View) -> Values | None:
        code = node.attributes.get(attribute, absent_code)
        if code is None or code in codes or code.strip(XML_SPACE) in codes:
            return None
        return {"code": code}

    return check
