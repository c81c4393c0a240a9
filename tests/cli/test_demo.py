"""`einvoice demo`: errors of the start are one line, and secrets stay out of the process list."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from einvoice.cli.demo import ENVIRON, _port_beside, _start_receiver, demo, exports
from einvoice.cli.embedded import NoRedis, start_redis
from einvoice.cli.processes import ChildExited, Children
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from tests.ports import free_port
from tests.waiting import until


@pytest.mark.parametrize("listen", ["8000", "here:there", "127.0.0.1:99999", "unix:/tmp/x"])
def test_an_invalid_address_is_refused_before_anything_starts(listen, tmp_path):
    result = CliRunner().invoke(demo, ["--listen", listen, "--data-dir", str(tmp_path / "demo")])

    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert "host:port" in result.output
    assert not (tmp_path / "demo").exists()


def test_a_path_too_long_for_a_socket_is_refused(tmp_path):
    """Redis would exit without a reason in its log."""
    with pytest.raises(NoRedis, match="is too long for a socket"):
        start_redis(Children(), tmp_path / ("d" * 120))


def test_the_error_names_the_child_that_ended_and_its_log(tmp_path):
    children = Children()
    log = tmp_path / "web.log"
    children.start("web", [sys.executable, "-c", "raise SystemExit(3)"], log=log).wait()

    with pytest.raises(ChildExited, match=f"web ended with 3: see {log}"):
        children.check()
    children.stop()


def test_the_receivers_port_is_free_and_next_to_that_of_the_service():
    """A port chosen by the system could be taken before the receiver starts, which is last."""
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))

        assert port < _port_beside(f"127.0.0.1:{port - 1000}") < port + 100
    assert 9000 <= _port_beside("127.0.0.1:8000") < 9100


def test_the_receivers_secrets_are_not_in_the_process_list(tmp_path):
    """Every user of the machine can read the arguments of a process."""
    stack = Stack(tmp_path)
    hook = f"http://127.0.0.1:{free_port()}/hook"
    _start_receiver(stack, hook, {"secret": "whk_1", "signing_secret": "whsec_c2VjcmV0"})
    ((_, receiver),) = stack.children.running()
    log = tmp_path / "receiver.log"
    until(lambda: "listening" in log.read_text())
    arguments = Path(f"/proc/{receiver.pid}/cmdline").read_bytes()
    stack.children.stop()

    assert b"einvoice.cli.receiver" in arguments
    assert b"whk_" not in arguments
    assert b"whsec_" not in arguments


def test_the_printed_line_sets_all_that_the_pages_use(tmp_path):
    """Commands of the pages run in any directory, on the data of the demo."""
    stack = Stack(tmp_path / "the demo")
    line = exports(stack, {"tenant": "t-1", "key": "sk_test_1"})
    done = subprocess.run(
        ["bash", "-euc", f'{line}; type -P einvoice; echo "$EINVOICE $KEY $TENANT"; env -0 >vars'],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "DATABASE_URL": "postgresql://other/live"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    command, said = done.stdout.splitlines()
    variables = (tmp_path / "vars").read_text().strip("\0").split("\0")
    settings = Settings.from_env(dict(variable.split("=", 1) for variable in variables))

    assert Path(command).parent == Path(sys.executable).parent
    assert said == f"{stack.url} sk_test_1 t-1"
    assert settings.data_path == stack.data_dir
    assert settings.database.startswith(f"sqlite:///{stack.data_dir}")
    assert settings.webhook_allow_private


@pytest.mark.parametrize("variable", ["DATABASE_URL", "EINVOICE_DATABASE_URL"])
def test_the_demo_does_not_touch_the_database_of_the_shell(tmp_path, monkeypatch, variable):
    """Otherwise its workers would deliver what waits in it."""
    monkeypatch.setenv(variable, "postgresql://other/live")
    stack = Stack(tmp_path, environ=ENVIRON)

    assert Settings.from_env(stack.environ).database.startswith(f"sqlite:///{tmp_path}")
