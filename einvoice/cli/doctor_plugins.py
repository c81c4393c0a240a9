"""The checks of plugins, as `einvoice doctor` runs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import entry_points

from einvoice.network import checks, hookspec, registry
from einvoice.network.calls import PluginBusy, Shares
from einvoice.network.checks import Check, CheckResult, Level
from einvoice.network.registry import Extras, OfPlugin
from einvoice.services import forms

CHECK_SECONDS = 10.0
MAX_SENTENCE_LENGTH = 500

_calls = Shares()


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one check, named by plugin and check; `ends_at` as in CheckResult."""

    name: str
    level: Level
    sentence: str
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """An installed plugin with which nothing starts, and why."""

    name: str
    fault: str


def tried(variables: Mapping[str, str]) -> tuple[list[object], list[BrokenPlugin]]:
    """Each installed plugin loaded by itself: those that can be used, and those that cannot."""
    usable: list[object] = []
    broken: list[BrokenPlugin] = []
    for found in entry_points(group=hookspec.PROJECT):
        try:
            plugin = found.load()
            registry.load_all(variables, [plugin])
            forms.of_plugins([plugin])
        except Exception as fault:  # noqa: BLE001 - code of others
            message = " ".join(str(fault).split()) or "without words"
            broken.append(BrokenPlugin(found.name, f"{type(fault).__name__}: {message}"))
        else:
            usable.append(plugin)
    return usable, broken


def run(extras: Extras) -> Iterator[Checked]:
    """The result of each check; one that raises or hangs is an error of its own."""
    for each in extras.checks:
        name = f"{each.plugin}/{each.offer.name}"
        result = _result(name, each)
        sentence = each.settings.redacted(" ".join(result.sentence.split()))
        yield Checked(name, result.level, sentence[:MAX_SENTENCE_LENGTH], result.ends_at)


def _result(name: str, each: OfPlugin[Check]) -> CheckResult:
    try:
        result = _calls.call(name, each.offer.run, CHECK_SECONDS)
    except PluginBusy:
        return checks.error(f"The check did not end within {CHECK_SECONDS:g} seconds.")
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - of a plugin: shown
        return checks.error(f"The check raised {type(fault).__name__}: {fault}")
    if not isinstance(result, CheckResult):
        return checks.error(f"The check returned {type(result).__name__}, not a CheckResult.")
    return result
