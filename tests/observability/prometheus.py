"""A real Prometheus that scrapes the service on loopback."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import requests
import yaml

from einvoice.cli.processes import Children
from tests.ports import free_port
from tests.waiting import until


class Prometheus:
    """Debian's Prometheus with the alerting rules, which scrapes one address every second.

    A scrape may take as long as from one to the next.
    """

    def __init__(
        self,
        directory: Path,
        target: str,
        children: Children,
        rules: Path,
        scrape_seconds: int = 1,
    ) -> None:
        address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{address}"
        settings = directory / "prometheus.yaml"
        settings.write_text(yaml.safe_dump({
            "global": {"scrape_interval": f"{scrape_seconds}s", "evaluation_interval": "1s"},
            "rule_files": [str(rules)],
            "scrape_configs": [
                {"job_name": "einvoice", "static_configs": [{"targets": [target]}]}
            ],
        }))  # fmt: skip
        children.start(
            "prometheus",
            ["prometheus", f"--config.file={settings}", f"--web.listen-address={address}",
             f"--storage.tsdb.path={directory / 'data'}"],
            env={"PATH": "/usr/bin:/bin"},
            log=directory / "prometheus.log",
        )  # fmt: skip
        until(
            lambda: requests.get(f"{self.url}/-/ready", timeout=5).ok,
            ignored=(requests.RequestException,),
        )

    def get(self, path: str, **parameters: str) -> Any:
        answer = requests.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=30).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def values(self, expression: str) -> list[float]:
        """The values of an expression now, without those that are not a number."""
        found = self.get("query", query=expression)["result"]
        return [v for v in (float(one["value"][1]) for one in found) if not math.isnan(v)]

    def graph(self, expression: str) -> list[float]:
        """The values of an expression since the start, as in a graph."""
        now = time.time()
        found = self.get(
            "query_range", query=expression, start=str(now - 600), end=str(now), step="2"
        )["result"]
        values = [float(value) for one in found for _, value in one["values"]]
        return [v for v in values if not math.isnan(v)]

    def firing(self) -> set[str]:
        alerts = self.get("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}
