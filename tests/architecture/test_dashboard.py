"""The dashboard of deploy/grafana can be imported and asks only for metrics there are."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask
from prometheus_client import Metric
from prometheus_client.metrics import MetricWrapperBase

from einvoice.observability import metrics
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of
from tests.tables import each_row

FILE = Path(__file__).resolve().parents[2] / "deploy" / "grafana" / "einvoice.json"
DASHBOARD = json.loads(FILE.read_text())
ROWS = [panel for panel in DASHBOARD["panels"] if panel["type"] == "row"]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
VARIABLES = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
EXPRESSIONS = [
    *(target["expr"] for panel in PANELS for target in panel["targets"]),
    *re.findall(r"label_values\((.+), \w+\)", VARIABLES["instance"]["definition"]),
]

# Grafana replaces these before Prometheus reads them.
VALUES = {"$__rate_interval": "1m", "$__range": "3h", "$instance": ".*"}
OF_PROMETHEUS = {"up": set[str](), "ALERTS": {"alertname", "alertstate", "severity"}}
OF_THE_TARGET = {"job", "instance"}
SUFFIXES = {
    "counter": {"_total": set[str]()},
    "gauge": {"": set[str]()},
    "histogram": {"_bucket": {"le"}, "_count": set[str](), "_sum": set[str]()},
}


def _registered() -> Iterator[tuple[Metric, set[str]]]:
    """The metrics of every process with their labels, whether something was counted or not."""
    for found in vars(metrics).values():
        if isinstance(found, MetricWrapperBase):
            (described,) = found.describe()
            yield described, set(found._labelnames)


def _series(app: Flask) -> dict[str, set[str]]:
    """The labels of every series of /metrics, by its name."""
    collected = [
        (metric, set(metric._labelnames))  # also of those without a sample
        for metric in Gauges(runtime_of(app)).collect()
    ]
    return {
        metric.name + suffix: labels | more | OF_THE_TARGET
        for metric, labels in [*_registered(), *collected]
        for suffix, more in SUFFIXES[metric.type].items()
    }


def _names(expression: str) -> list[str]:
    return re.findall(r"\b(einvoice_\w+|up|ALERTS)\b(?=\{)", expression)


def _labels(text: str) -> set[str]:
    """The labels of matchers and groups in an expression, or of a legend."""
    groups = re.findall(r"\bby \(([^)]*)\)", text)
    return {
        *re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", text),
        *re.findall(r"\{\{\s*(\w+)\s*\}\}", text),
        *(label.strip() for group in groups for label in group.split(",")),
    }


def _values_of(expression: str) -> str:
    for variable, value in VALUES.items():
        expression = expression.replace(variable, value)
    return expression


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_each_expression_asks_for_metrics_and_labels_that_are_exported(app: Flask) -> None:
    """Compares with the registry, and with the gauges of an application with a database."""
    series = OF_PROMETHEUS | _series(app)
    series["up"] = OF_THE_TARGET

    for expression in EXPRESSIONS:
        names = _names(expression)
        assert names, f"no metric in {expression}"
        assert set(names) <= series.keys(), expression
        assert _labels(expression) <= set.intersection(*(series[name] for name in names)), (
            expression
        )


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_each_endpoint_of_an_expression_is_one_of_the_application(app: Flask) -> None:
    patterns = [found for e in EXPRESSIONS for found in re.findall(r'endpoint=~"([^"]+)"', e)]

    assert patterns
    assert {name for one in patterns for name in one.split("|")} <= app.view_functions.keys()


def test_each_metric_has_matchers_with_the_chosen_instance() -> None:
    """The other tests find metrics by the brace after the name."""
    for expression in EXPRESSIONS:
        assert re.findall(r"\b(?:einvoice_\w+|ALERTS)\b", expression) == [
            name for name in _names(expression) if name != "up"
        ]
        assert "$instance" in expression or set(_names(expression)) <= OF_PROMETHEUS.keys()


def test_promtool_parses_each_expression(tmp_path: Path) -> None:
    """As the expression of a recording rule, with the values of Grafana's variables."""
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    rules = [
        {"record": f"panel:{number}", "expr": _values_of(expression)}
        for number, expression in enumerate(EXPRESSIONS)
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run(
        ["promtool", "check", "rules", str(file)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(EXPRESSIONS)} rules found" in done.stdout


def test_every_variable_of_an_expression_is_one_of_grafana_or_the_dashboard() -> None:
    text = json.dumps(DASHBOARD["panels"])
    used = set(re.findall(r"\$\{?(\w+)", text))

    assert used == {"datasource", "instance", "__rate_interval", "__range"}
    assert VARIABLES.keys() == {"datasource", "instance"}
    assert VARIABLES["datasource"]["query"] == "prometheus"


@each_row("panel", PANELS, ids=lambda panel: panel["title"])
def test_each_panel_has_title_unit_and_description(panel: dict[str, Any]) -> None:
    assert panel["title"].strip()
    assert panel["description"].strip()
    assert panel["fieldConfig"]["defaults"]["unit"].strip()


@each_row("panel", PANELS, ids=lambda panel: panel["title"])
def test_each_panel_asks_the_chosen_data_source_and_names_its_series(panel: dict[str, Any]) -> None:
    sources = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]

    assert {source["uid"] for source in sources} == {"${datasource}"}
    for target in panel["targets"]:
        legend = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        assert legend <= _labels(target["expr"])
    references = [target["refId"] for target in panel["targets"]]
    assert references
    assert len(set(references)) == len(references)


def test_the_dashboard_has_the_fields_that_an_import_needs() -> None:
    assert DASHBOARD["id"] is None
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", DASHBOARD["uid"])
    assert DASHBOARD["title"]
    assert isinstance(DASHBOARD["schemaVersion"], int)
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    assert all(panel["type"] in {"timeseries", "stat", "table"} for panel in PANELS)


def _covered(panel: dict[str, Any]) -> set[tuple[int, int]]:
    """The cells of Grafana's grid of 24 columns that a panel covers."""
    at = panel["gridPos"]
    columns = range(at["x"], at["x"] + at["w"])
    return set(itertools.product(columns, range(at["y"], at["y"] + at["h"])))


def test_no_panel_covers_another_or_leaves_the_grid() -> None:
    cells = [cell for panel in DASHBOARD["panels"] for cell in _covered(panel)]

    assert all(_covered(panel) for panel in DASHBOARD["panels"])
    assert len(set(cells)) == len(cells)
    assert all(0 <= column < 24 for column, _ in cells)


def test_there_is_a_row_for_every_part_of_the_service() -> None:
    assert {row["title"] for row in ROWS} >= {
        "Alerts",
        "Sends",
        "Queues",
        "Relay and workers",
        "Webhooks",
        "Receiving",
        "Connections to networks",
        "Database, Redis and limits",
    }
