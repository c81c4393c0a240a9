"""The diary of a week: what broke, who was told and when all was well, as JSON and as a page."""

from __future__ import annotations

import html
import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.week import alarms
from bench.week.alarms import Alarm
from bench.week.book import TOLD_MINUTES, TOLD_SECONDS, is_noticed
from bench.week.duties import Done
from bench.week.entries import Entry
from bench.week.faults import DONE, TIME_TO_TELL, TOLD_BY, Happened
from bench.week.plan import Plan

WIDTH, HEIGHT, LEFT = 960, 140, 50


@dataclass(frozen=True, slots=True)
class Sample:
    """One look of the watch, at a minute of the week; `oldest` in minutes."""

    minute: float
    sent: int
    arrived: int
    open: int
    oldest: float


@dataclass(frozen=True, slots=True)
class Diary:
    """A week that is over."""

    plan: Plan
    samples: Sequence[Sample]
    faults: Sequence[Happened]
    fired: Sequence[Alarm]
    entries: Sequence[Entry]
    counts: Mapping[str, Any]
    accepted_in: Mapping[str, float] = field(default_factory=dict)  # minutes of numbers
    doctor: Sequence[Mapping[str, Any]] = ()  # its reports, each with its minute
    slowest: Sequence[Mapping[str, Any]] = ()
    duties: Sequence[Done] = ()

    @property
    def good(self) -> bool:
        return not self.entries

    def lines(self) -> list[dict[str, Any]]:
        """A line for each fault."""
        return [self._line(one) for one in self.faults]

    def _line(self, fault: Happened) -> dict[str, Any]:
        limit = max(TOLD_MINUTES, TOLD_SECONDS * self.plan.rate / 60)
        limit += TIME_TO_TELL.get(fault.kind, 0.0)
        names = TOLD_BY[fault.kind]
        alarm = alarms.told_at(self.fired, names, (fault.began, fault.began + limit))
        did, page = DONE.get(fault.kind, ("nothing", ""))
        return {
            "minute": round(fault.began, 1),
            "fault": fault.kind.value,
            "told": alarm.name if alarm else None,
            "after": round(max(0.0, alarm.began - fault.began), 1) if alarm else None,
            "needs": bool(names) and is_noticed(self.plan, fault, self.accepted_in),
            "ended": round(fault.ended, 1) if fault.ended is not None else None,
            "did": did,
            "page": page,
            "well": round(fault.well, 1) if fault.well is not None else None,
        }

    def json(self) -> str:
        """Everything, for programs."""
        found = {
            "seed": self.plan.seed,
            "hours": self.plan.minutes / 60,
            "realMinutes": self.plan.real_minutes,
            "rate": self.plan.rate,
            "tenants": len(self.plan.tenants),
            "counts": self.counts,
            "entries": [asdict(one) for one in self.entries],
            "faults": self.lines(),
            "duties": [asdict(one) for one in self.duties],
            "slowest": list(self.slowest),
            "doctor": list(self.doctor),
            "alarms": [asdict(one) for one in self.fired],
            "samples": [asdict(one) for one in self.samples],
        }
        return json.dumps(found, indent=1)

    def markdown(self) -> str:
        """The tables of docs/week.md."""
        rows = ["| minute | fault | told by | after | what was done | well in minute |",
                "|---|---|---|---|---|---|"]  # fmt: skip
        for line in self.lines():
            told = line["told"] or ("**nobody**" if line["needs"] else "– (needs nobody)")
            after = "" if line["after"] is None else f"{line['after']:.0f} min"
            page = f" ({line['page']})" if line["page"] else ""
            well = "–" if line["well"] is None else f"{line['well']:.0f}"
            rows.append(
                f"| {line['minute']:.0f} | {line['fault']} | {told} | {after} |"
                f" {line['did']}{page} | {well} |"
            )
        if self.duties:
            rows += ["", "| minute | duty | outcome |", "|---|---|---|"]
        rows += [f"| {one.minute:.0f} | {one.what} | {one.outcome} |" for one in self.duties]
        return "\n".join(rows)

    def page(self) -> str:
        """The diary as HTML, with charts."""
        kinds = Counter(one.kind for one in self.entries)
        title = f"A week of {self.plan.minutes / 60:g} hours, seed {self.plan.seed}"
        entries = "".join(
            f"<li><b>{one.kind}</b>: {html.escape(one.text)}</li>" for one in self.entries
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(v if v is not None else '–'))}" for v in
                             (line["minute"], line["fault"], line["told"], line["after"],
                              line["did"], line["page"], line["well"]))
            for line in self.lines()
        )  # fmt: skip
        counts = "".join(f"<tr><td>{k}<td>{html.escape(str(v))}" for k, v in self.counts.items())
        duties = "".join(
            f"<tr><td>{one.minute:.0f}<td>{one.what}<td>{html.escape(one.outcome)}"
            for one in self.duties
        )
        charts = "".join(
            f"<h3>{name}</h3>{self._chart(values)}" for name, values in self._series().items()
        )
        return (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
            "<style>body{font:14px sans-serif;max-width:1000px;margin:2em auto}"
            "td,th{padding:2px 10px 2px 0;text-align:left;vertical-align:top}"
            ".band{fill:#d33;opacity:.18}.line{fill:none;stroke:#246;stroke-width:1.4}"
            "text{font-size:11px}</style>"
            f"<h1>{title}</h1><p>{len(self.entries)} broken promises: {dict(kinds) or 'none'}</p>"
            f"<ul>{entries}</ul>{charts}<h2>Faults</h2><table><tr><th>minute<th>fault<th>told by"
            f"<th>after<th>done<th>page<th>well{rows}</table><h2>Duties</h2><table>{duties}</table>"
            f"<h2>Counts</h2><table>{counts}</table>"
        )

    def _series(self) -> dict[str, list[tuple[float, float]]]:
        at = self.samples
        return {
            "Accepted documents": [(s.minute, s.sent) for s in at],
            "Documents at their networks": [(s.minute, s.arrived) for s in at],
            "Documents without an end": [(s.minute, s.open) for s in at],
            "Age of the oldest, in minutes": [(s.minute, s.oldest) for s in at],
        }

    def _chart(self, values: Sequence[tuple[float, float]]) -> str:
        highest = max((value for _, value in values), default=0) or 1
        longest = max(self.plan.minutes, max((m for m, _ in values), default=0))

        def x(minute: float) -> float:
            return LEFT + minute / longest * (WIDTH - LEFT)

        bands = "".join(
            f"<rect class=band x={x(f.began):.1f} y=0 height={HEIGHT} "
            f"width={max(2.0, x(f.ended or longest) - x(f.began)):.1f}>"
            f"<title>{f.kind}</title></rect>"
            for f in self.faults
        )
        points = " ".join(
            f"{x(m):.1f},{HEIGHT - v / highest * (HEIGHT - 12):.1f}" for m, v in values
        )
        return (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 16}" width={WIDTH}>{bands}'
            f'<polyline class=line points="{points}"/>'
            f"<text x=0 y=12>{highest:.0f}</text><text x=0 y={HEIGHT}>0</text>"
            f"<text x={LEFT} y={HEIGHT + 14}>0 h</text>"
            f"<text x={WIDTH - 40} y={HEIGHT + 14}>{longest / 60:.0f} h</text></svg>"
        )

    def write(self, folder: Path) -> None:
        """Write diary.json, diary.html and diary.md into the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "diary.json").write_text(self.json())
        (folder / "diary.html").write_text(self.page())
        (folder / "diary.md").write_text(self.markdown() + "\n")


def percentile(values: Sequence[float], share: float) -> float:
    """A percentile, in the unit of the values; 0 without values."""
    if len(values) < 2:
        return 0.0
    return statistics.quantiles(values, n=100)[round(share * 100) - 1]
