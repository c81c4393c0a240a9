"""The operator's Prometheus with the rules of deploy/prometheus, by the clock of the week.

A duration of a rule is shortened as the week is, to a few seconds at the least: processes start,
answer and are scraped in real time. What a rule compares with `time()` is compared with the clock
of the week.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import requests

from bench.service import ROOT
from einvoice.cli.processes import Children
from einvoice.clock import Pace
from tests.observability.prometheus import Prometheus

LEAST_WAIT, LEAST_RANGE = 5.0, 10.0  # seconds
RULES = ROOT / "deploy" / "prometheus" / "alerts.yaml"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
# Rules about the speed of processes, in seconds of reality: they are as they are.
BY_REALITY = ("EinvoiceWorkOverdue", "EinvoiceRateLimitsOff")
# Of what is a mean: for how many seconds after a fault it may fire, by its range and its wait.
LINGERS = {"EinvoiceRateLimitsOff": 600.0}
HEARTBEAT_SECONDS = 10  # of reality; a relay starts in a few


@dataclass(slots=True)
class Alarm:
    """An alert that fired, in minutes of the week; `ended` None: it still fires."""

    name: str
    began: float
    ended: float | None = None


def hurried(text: str, pace: Pace) -> str:
    """The rules for a week at this pace."""
    begin, *rules = re.split(r"(?=^ +- alert: )", text, flags=re.MULTILINE)
    return begin + "".join(_hurried(rule, pace) for rule in rules)


def _hurried(rule: str, pace: Pace) -> str:
    name = re.search(r"alert: (\w+)", rule)
    if name and name[1] in BY_REALITY:
        return rule
    if name and name[1] == "EinvoiceRelayStopped":
        rule = rule.replace("> 30", f"> {HEARTBEAT_SECONDS * pace.rate:g}")
    since = pace.since.timestamp()
    rule = rule.replace("time()", f"({since:.0f} + (time() - {since:.0f}) * {pace.rate:g})")
    rule = re.sub(r"for: (\d+)([smhd])", lambda m: f"for: {_less(m, pace, LEAST_WAIT)}", rule)
    rule = re.sub(r"\[(\d+)([smhd])\]", lambda m: f"[{_less(m, pace, LEAST_RANGE)}]", rule)
    return re.sub(r"offset (\d+)([smhd])", lambda m: f"offset {_less(m, pace, LEAST_RANGE)}", rule)


def _less(found: re.Match[str], pace: Pace, least: float) -> str:
    seconds = int(found[1]) * _UNITS[found[2]] / pace.rate
    return f"{round(max(seconds, least) * 1000)}ms"


class Watch:
    """Asks Prometheus every second what fires, and notes when each alert began and ended."""

    def __init__(self, prometheus: Prometheus, minute: Callable[[], float]) -> None:
        self._prometheus, self._minute = prometheus, minute
        self.alarms: list[Alarm] = []
        self._open: dict[str, Alarm] = {}
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ends.set()
        self._thread.join(30)

    def clear(self) -> None:
        """Forget what has fired so far; what still fires begins now."""
        self.alarms.clear()
        self._open.clear()

    def is_quiet(self, besides: Collection[str]) -> bool:
        """Whether the service is scraped, and none but these alerts fires or is about to."""
        targets = self._prometheus.get("targets")["activeTargets"]
        alerts = self._prometheus.get("alerts")["alerts"]
        is_scraped = bool(targets) and all(one["health"] == "up" for one in targets)
        return is_scraped and {one["labels"]["alertname"] for one in alerts} <= set(besides)

    @property
    def firing(self) -> set[str]:
        return set(self._open)

    def _run(self) -> None:
        while not self._ends.wait(1.0):
            try:
                self._note(self._prometheus.firing())
            except (requests.RequestException, AssertionError, ValueError):
                continue  # asked again in a second

    def _note(self, firing: set[str]) -> None:
        now = self._minute()
        for name in firing - self._open.keys():
            alarm = Alarm(name, now)
            self._open[name] = alarm
            self.alarms.append(alarm)
        for name in self._open.keys() - firing:
            self._open.pop(name).ended = now


def started(directory: Path, target: str, children: Children, pace: Pace) -> Prometheus:
    """Prometheus with the rules at this pace, scraping the service."""
    rules = directory / "alerts.yaml"
    rules.write_text(hurried(RULES.read_text(), pace))
    return Prometheus(directory, target, children, rules, scrape_seconds=2)


def told_at(
    alarms: Sequence[Alarm], names: Mapping[str, None] | Sequence[str], span: tuple[float, float]
) -> Alarm | None:
    """The first alert of these that fired in the span, maybe since before it."""
    begin, end = span
    fired = (
        one
        for one in alarms
        if one.name in names and one.began <= end and (one.ended is None or one.ended >= begin)
    )
    return min(fired, key=lambda one: one.began, default=None)


def real(seconds: float, pace: Pace) -> float:
    """Minutes of the week that pass in so many seconds of reality."""
    return timedelta(seconds=seconds * pace.rate) / timedelta(minutes=1)
