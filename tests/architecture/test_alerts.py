"""The alerting rules of deploy/prometheus fire when they should, and ask for metrics there are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import REGISTRY

from einvoice.observability import metrics

DIRECTORY = Path(__file__).resolve().parents[2] / "deploy" / "prometheus"
RULES = yaml.safe_load((DIRECTORY / "alerts.yaml").read_text())["groups"][0]["rules"]
OPERATORS = (DIRECTORY.parents[1] / "docs" / "operators.md").read_text()


def _promtool(*arguments: str) -> str:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    done = subprocess.run(
        ["promtool", *arguments], cwd=DIRECTORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_accepts_the_rules() -> None:
    assert f"{len(RULES)} rules found" in _promtool("check", "rules", "alerts.yaml")


def test_the_rules_fire_when_they_should_and_only_then() -> None:
    assert "SUCCESS" in _promtool("test", "rules", "alerts-test.yaml")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_rule_is_tested_both_ways(rule: dict[str, str]) -> None:
    """Silent in the first test; firing in another."""
    silent, *firing = yaml.safe_load((DIRECTORY / "alerts-test.yaml").read_text())["tests"]
    quiet = {one["alertname"] for one in silent["alert_rule_test"] if one["exp_alerts"] == []}

    assert rule["alert"] in quiet
    assert rule["alert"] in str(firing).replace("'exp_alerts': []", "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_rule_asks_for_metrics_that_are_documented(rule: dict[str, str]) -> None:
    """docs/operators.md lists all metrics, which another test compares with /metrics."""
    names = set(re.findall(r"einvoice_\w+", rule["expr"]))

    assert all(f"`{name}`" in OPERATORS for name in names)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_rule_says_what_is_wrong_and_what_to_do(rule: dict[str, dict[str, str]]) -> None:
    assert rule["annotations"].keys() == {"summary", "action"}
    assert rule["labels"]["severity"] in {"critical", "warning"}


def test_each_count_whose_increase_is_watched_begins_at_zero() -> None:
    """`increase()` does not see the value with which a series begins: the first document that needs
    an operator would raise no alert."""
    watched = {
        name.removesuffix("_total")
        for rule in RULES
        for name in re.findall(r"increase\((einvoice_\w+)", rule["expr"])
    }
    metrics.start_at_zero(["p"], ["bulk"])
    begun = {
        found.name
        for found in REGISTRY.collect()
        if any(sample.name == f"{found.name}_total" for sample in found.samples)
    }

    assert watched
    assert watched <= begun
