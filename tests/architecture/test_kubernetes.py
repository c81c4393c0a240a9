"""The manifests of deploy/kubernetes: valid for the Kubernetes API and in accord with the service.

Documents are read as they are written, since tests have no cluster. Where `kubectl` is installed,
the kustomizations are built too, and what it builds is validated.
"""

from __future__ import annotations

import ipaddress
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from einvoice import config
from einvoice.cli import main
from einvoice.cli.doctor import doctor
from einvoice.config import Settings
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of
from jobs.table import LANES

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
BUILT = ("base", "migrate", "overlays/small", "overlays/small/migrate")
NOT_RESOURCES = {"Kustomization", "Component"}
KUBERNETES_VERSION = "1.34"  # that docs/kubernetes.md names
MIB = 2**20
# MiB of resident memory at most (docs/sizing.md, bench/RESULTS.md): of a process, and of a web
# process while it receives the largest document over AS4.
PROCESS_MIB, RECEIVING_MIB = 320, 790


def documents(paths: Iterator[Path]) -> list[dict[str, Any]]:
    read = (yaml.safe_load_all(path.read_text()) for path in sorted(paths))
    return [document for found in read for document in found]


BASE = documents(KUBERNETES.glob("base/*.yaml"))
MIGRATE = documents(KUBERNETES.glob("migrate/*.yaml"))
SCALING = documents(KUBERNETES.glob("autoscaling/*.yaml"))
INGRESS = documents(KUBERNETES.glob("overlays/*/ingress.yaml"))
RESOURCES = [d for d in BASE + MIGRATE + SCALING + INGRESS if d["kind"] not in NOT_RESOURCES]
WORKLOADS = {d["metadata"]["name"]: d for d in RESOURCES if d["kind"] in {"Deployment", "Job"}}
WORKLOADS |= {
    d["metadata"]["name"]: d["spec"]["jobTemplate"] | {"kind": "CronJob"}
    for d in RESOURCES
    if d["kind"] == "CronJob"
}
DEPLOYMENTS = {name: d for name, d in WORKLOADS.items() if d["kind"] == "Deployment"}


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [document for document in RESOURCES if document["kind"] == kind]


def pod(workload: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = workload["spec"]["template"]["spec"]
    return spec


def container(workload: dict[str, Any]) -> dict[str, Any]:
    (one,) = pod(workload)["containers"]
    return dict(one)


def literals(path: str) -> dict[str, str]:
    """The settings of a generated ConfigMap."""
    component = yaml.safe_load((KUBERNETES / path / "kustomization.yaml").read_text())
    (generator,) = component["configMapGenerator"]
    assert generator["name"] == "einvoice"
    return dict(line.split("=", 1) for line in generator["literals"])


SETTINGS = literals("settings")
SMALL = SETTINGS | literals("overlays/small/installation")


def name_of(document: dict[str, Any]) -> str:
    return f"{document['kind']}-{document['metadata']['name']}"


def validate(document: dict[str, Any]) -> None:
    """Raises if the document does not fit its schema; unknown members do not fit."""
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    kubernetes_validate.validate(document, KUBERNETES_VERSION, strict=True)


@pytest.mark.parametrize("document", RESOURCES, ids=name_of)
def test_a_manifest_is_valid_for_the_kubernetes_api(document):
    validate(document)


@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl")
@pytest.mark.parametrize("kustomization", BUILT)
def test_a_kustomization_builds_valid_manifests(kustomization):
    command = ["kubectl", "kustomize", str(KUBERNETES / kustomization)]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    for document in yaml.safe_load_all(built):
        validate(document)


def test_the_schemas_refuse_a_misspelt_member():
    wrong = {**of_kind("Service")[0], "speck": {}}
    kubernetes_validate = pytest.importorskip("kubernetes_validate")

    with pytest.raises(kubernetes_validate.ValidationError):
        validate(wrong)


# -- processes and settings ------------------------------------------------------------------------


def test_kubernetes_runs_every_process_and_every_lane():
    commands = {tuple(container(workload)["args"]) for workload in WORKLOADS.values()}

    assert commands == {
        ("serve",), ("relay",), ("db", "upgrade"), *(("worker", lane) for lane in LANES),
        ("doctor", "--json", "--record", "kubernetes"),
    }  # fmt: skip


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_container_runs_a_command_of_the_service(name):
    command: Any = main
    for word in container(WORKLOADS[name])["args"]:
        if command is doctor:  # its options
            assert word in {"--json", "--record", "kubernetes"}
            continue
        if not hasattr(command, "get_command"):  # an argument: the lane
            assert word in LANES
            continue
        command = command.get_command(None, word)
        assert command is not None


@pytest.mark.parametrize("given", [SETTINGS, SMALL], ids=["settings", "small"])
def test_the_settings_exist_and_start_production(given, tmp_path):
    known = {variable for variable, *_ in config.describe()}
    for name in ("database_url", "redis_url", "secret_key"):
        (tmp_path / name).write_text({"database_url": "postgresql://db/e"}.get(name, "redis://r"))
    environ = {
        name: value.replace("/run/secrets/einvoice", str(tmp_path)) for name, value in given.items()
    }

    assert {name.removesuffix("_FILE") for name in given} <= known
    assert Settings.from_env(environ).production


def test_the_settings_name_the_files_of_the_secret_and_writable_directories():
    mounts = {
        m["name"]: m["mountPath"] for m in container(WORKLOADS["einvoice-web"])["volumeMounts"]
    }
    files = [value for name, value in SETTINGS.items() if name.endswith("_FILE")]

    assert len(files) == 3
    assert all(Path(file).parent == Path(mounts["secrets"]) for file in files)
    assert SETTINGS["EINVOICE_DATA_DIR"] == mounts["data"]


def test_no_manifest_holds_a_secret():
    """Secrets are created by the operator; manifests name them only."""
    text = "\n".join(path.read_text() for path in KUBERNETES.rglob("*.yaml"))

    assert not of_kind("Secret")
    assert "secretGenerator" not in text
    assert not [name for name, _, _, secret in config.describe() if secret and f"{name}=" in text]
    assert not re.search(r"(postgres\w*|rediss?)://", text)


# -- rights and resources --------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_pod_has_only_the_rights_it_needs(name):
    """The restricted level of Pod Security, and a read-only root file system."""
    spec, rights = pod(WORKLOADS[name]), container(WORKLOADS[name])["securityContext"]

    assert spec["securityContext"] == {
        "runAsNonRoot": True, "runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }  # fmt: skip
    assert rights == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["automountServiceAccountToken"] is False
    assert spec["enableServiceLinks"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_pod_writes_to_bounded_directories_only(name):
    volumes = {v["name"]: v for v in pod(WORKLOADS[name])["volumes"]}
    mounts = {m["mountPath"]: m for m in container(WORKLOADS[name])["volumeMounts"]}
    writable = {path for path, mount in mounts.items() if not mount.get("readOnly")}

    assert writable == {"/tmp", "/var/lib/einvoice"}
    assert all(volumes[mounts[path]["name"]]["emptyDir"]["sizeLimit"] for path in writable)
    assert volumes["secrets"]["secret"]["defaultMode"] == 0o440


def mebibytes(quantity: str) -> int:
    units = {"Mi": MIB, "Gi": 1024 * MIB}
    return int(quantity[:-2]) * units[quantity[-2:]] // MIB


def most_memory(command: str, given: dict[str, str]) -> int:
    """MiB that the processes of a container may need together."""
    computing = int(given["EINVOICE_COMPUTE_PROCESSES"]) * int(given["EINVOICE_COMPUTE_MEMORY_MB"])
    if command == "serve":
        return 160 + int(given["EINVOICE_WEB_WORKERS"]) * (RECEIVING_MIB + computing)
    return PROCESS_MIB + (computing if command == "worker" else 0)


def patched(name: str) -> dict[str, Any]:
    """The resources of the Deployment in the overlay for a small installation."""
    file = "workers" if name.startswith("einvoice-worker") else name.removeprefix("einvoice-")
    patch = yaml.safe_load((KUBERNETES / "overlays/small" / f"{file}.yaml").read_text())
    given = container(patch)["resources"] if "template" in patch["spec"] else {}
    return container(DEPLOYMENTS[name])["resources"] | given


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_memory_limits_have_room_for_computations(name):
    """Kubernetes ends the whole container if a computing process exceeds its limit."""
    one = container(DEPLOYMENTS[name])
    small = patched(name)

    for resources, given in ((one["resources"], SETTINGS), (small, SMALL)):
        assert mebibytes(resources["limits"]["memory"]) >= most_memory(one["args"][0], given)
        assert mebibytes(resources["requests"]["memory"]) >= 150
        assert resources["requests"]["cpu"]


# -- network policies ------------------------------------------------------------------------------

POLICIES = of_kind("NetworkPolicy")


def test_requests_come_from_the_ingress_controller_only():
    """EINVOICE_TRUSTED_PROXIES=1: another pod could name any address as its own."""
    for policy in POLICIES:
        for rule in policy["spec"].get("ingress", []):
            (source,) = rule["from"]
            assert source["namespaceSelector"]["matchLabels"].keys() == {
                "kubernetes.io/metadata.name"
            }
            assert rule["ports"]


@pytest.mark.parametrize(
    ("component", "address", "port", "allowed"),
    [
        ("web", "203.0.113.9", 8443, True),
        ("worker", "2001:db8::9", 443, True),
        ("doctor", "203.0.113.9", 443, True),
        ("doctor", "10.0.0.9", 5432, True),
        ("doctor", "10.0.0.9", 443, False),
        ("relay", "203.0.113.9", 443, False),
        ("relay", "10.0.0.9", 5432, True),
        ("web", "10.0.0.9", 6379, True),
        ("worker", "10.0.0.9", 443, False),
        ("worker", "169.254.169.254", 80, False),
        ("worker", "fd00::1", 443, False),
        ("web", "10.96.0.10", 53, True),
    ],
)
def test_pods_connect_to_servers_and_to_the_internet_only(component, address, port, allowed):
    labels = {"app.kubernetes.io/name": "einvoice", "app.kubernetes.io/component": component}
    rules = [rule for policy in POLICIES if chooses(policy["spec"]["podSelector"], labels)
             for rule in policy["spec"].get("egress", [])]  # fmt: skip

    assert any(fits(rule, ipaddress.ip_address(address), port) for rule in rules) is allowed


def chooses(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    one_of = selector.get("matchExpressions", [])
    return selector["matchLabels"].items() <= labels.items() and all(
        each["operator"] == "In" and labels.get(each["key"]) in each["values"] for each in one_of
    )


def fits(rule: dict[str, Any], address: Any, port: int) -> bool:
    if port not in [each["port"] for each in rule.get("ports", [{"port": port}])]:
        return False
    blocks = [each["ipBlock"] for each in rule.get("to", [{"ipBlock": {"cidr": f"{address}"}}])]
    return any(
        address in ipaddress.ip_network(block["cidr"])
        and not any(address in ipaddress.ip_network(no) for no in block.get("except", []))
        for block in blocks
    )


# -- probes, stopping, rollouts --------------------------------------------------------------------


def test_probes_of_web_ask_its_health_routes(app: Flask):
    web = container(DEPLOYMENTS["einvoice-web"])
    probes = {kind: web[f"{kind}Probe"]["httpGet"]["path"] for kind in ("liveness", "readiness")}
    routes = {rule.rule for rule in app.url_map.iter_rules()}

    assert probes == {"liveness": "/healthz", "readiness": "/readyz"}
    assert set(probes.values()) <= routes


def test_ports_are_those_at_which_the_service_listens():
    listens = {
        "http": int(SETTINGS["EINVOICE_LISTEN"].rpartition(":")[2]),
        "metrics": int(SETTINGS["EINVOICE_METRICS_LISTEN"].rpartition(":")[2]),
    }
    for name, workload in DEPLOYMENTS.items():
        given = {port["name"]: port["containerPort"] for port in container(workload)["ports"]}
        assert given.items() <= listens.items()
        assert "metrics" in given
        assert ("http" in given) == (name == "einvoice-web")
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = container(workload).get(kind, {})
            port = (probe.get("httpGet") or probe.get("tcpSocket") or {}).get("port")
            assert port is None or port in given


def test_workers_and_relay_stay_alive_without_the_database():
    """/metrics asks the database, so a liveness probe of it would restart all pods in an outage."""
    for name, workload in DEPLOYMENTS.items():
        probe = container(workload)["livenessProbe"]
        assert probe.get("httpGet", {}).get("path") == (
            "/healthz" if name == "einvoice-web" else None
        )


def test_a_pod_has_time_to_finish_its_work():
    """Requests wait at most 25 seconds after the pause before SIGTERM; workers finish their job."""
    web = DEPLOYMENTS["einvoice-web"]
    command = container(web)["lifecycle"]["preStop"]["exec"]["command"]

    assert pod(web)["terminationGracePeriodSeconds"] > int(command[-1]) + 25
    for lane in LANES:
        assert pod(DEPLOYMENTS[f"einvoice-worker-{lane}"])["terminationGracePeriodSeconds"] >= 120


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_rollout_adds_a_pod_before_it_removes_one(name):
    spec = DEPLOYMENTS[name]["spec"]

    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_selectors_choose_the_pods_of_one_deployment_and_its_budget(name):
    labels = DEPLOYMENTS[name]["spec"]["template"]["metadata"]["labels"]
    budgets = [b["spec"]["selector"]["matchLabels"] for b in of_kind("PodDisruptionBudget")]
    chosen = [n for n, d in DEPLOYMENTS.items()
              if d["spec"]["selector"]["matchLabels"].items() <= labels.items()]  # fmt: skip

    assert chosen == [name]
    assert len([one for one in budgets if one.items() <= labels.items()]) == 1


def test_the_service_and_the_ingress_lead_to_web():
    (service,), (ingress,) = of_kind("Service"), of_kind("Ingress")
    labels = DEPLOYMENTS["einvoice-web"]["spec"]["template"]["metadata"]["labels"]
    hosts = {rule["host"] for rule in ingress["spec"]["rules"]}

    assert service["spec"]["selector"].items() <= labels.items()
    assert service["spec"]["ports"] == [{"name": "http", "port": 80, "targetPort": "http"}]
    for rule in ingress["spec"]["rules"]:
        (path,) = rule["http"]["paths"]
        assert path["backend"]["service"] == {
            "name": service["metadata"]["name"], "port": {"name": "http"}
        }  # fmt: skip
    assert {f"https://{host}" for host in hosts} == {
        SMALL["EINVOICE_BASE_URL"], SMALL["EINVOICE_SANDBOX_BASE_URL"]
    }  # fmt: skip


def test_an_image_is_named_by_digest():
    path = KUBERNETES / "overlays/small/installation/kustomization.yaml"
    (image,) = yaml.safe_load(path.read_text())["images"]

    assert {container(workload)["image"] for workload in WORKLOADS.values()} == {image["name"]}
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", image["digest"])
    assert "newTag" not in image


# -- autoscaling -----------------------------------------------------------------------------------


def test_every_lane_is_scaled_by_the_age_of_its_oldest_due_row():
    """By a metric of the service, before sends are refused for it."""
    scaled = {}
    for scaler in of_kind("HorizontalPodAutoscaler"):
        target = scaler["spec"]["scaleTargetRef"]["name"]
        (metric,) = scaler["spec"]["metrics"]
        external = metric["external"]
        lane = external["metric"]["selector"]["matchLabels"]["lane"]
        scaled[lane] = target
        assert external["metric"]["name"] == "einvoice_outbox_oldest_due_seconds"
        assert external["target"]["type"] == "Value"
        assert int(external["target"]["value"]) < Settings().max_queue_age
        assert 1 <= scaler["spec"]["minReplicas"] < scaler["spec"]["maxReplicas"]

    assert scaled == {lane: f"einvoice-worker-{lane}" for lane in LANES}


def test_the_metric_of_autoscaling_is_exported_for_every_lane(app: Flask):
    adapter = yaml.safe_load((KUBERNETES / "prometheus-adapter.yaml").read_text())
    (rule,) = adapter["rules"]["external"]
    exported = {metric.name: metric for metric in Gauges(runtime_of(app)).collect()}
    series = exported[rule["seriesQuery"].partition("{")[0]]

    assert {sample.labels["lane"] for sample in series.samples} == LANES.keys()


@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl")
def test_scaled_workers_have_no_fixed_number(tmp_path):
    """Applying the overlay again would set the number of workers back."""
    copied = shutil.copytree(KUBERNETES, tmp_path / "kubernetes")
    overlay = copied / "overlays/small/kustomization.yaml"
    text = overlay.read_text()
    overlay.write_text(text.replace("  - installation", "  - installation\n  - ../../autoscaling"))
    command = ["kubectl", "kustomize", str(overlay.parent)]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    workers = {
        document["metadata"]["name"]: document["spec"]
        for document in yaml.safe_load_all(built)
        if document["kind"] == "Deployment" and "worker" in document["metadata"]["name"]
    }

    assert workers.keys() == {f"einvoice-worker-{lane}" for lane in LANES}
    assert not [name for name, spec in workers.items() if "replicas" in spec]
