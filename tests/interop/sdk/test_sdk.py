"""The clients that openapi-generator makes of the running service's document, and what they do.

Not part of `make test`: `make sdk` installs the generator and the toolchains, then runs this.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import requests

from einvoice.app import create_app
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT, PLATFORM_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import credentials, platforms, tenants

pytestmark = pytest.mark.interop

SUITE = Path(__file__).parent
CACHE = SUITE.parents[2] / ".cache" / "sdk"
LANGUAGES = ("python", "typescript", "java")
STEPS = [
    "first send", "retry", "refusals", "list", "artefact", "customer", "OAuth", "webhook",
    "onboarding",
]  # fmt: skip
SCOPES = ("participants:read", "invoices:send", "invoices:read", "artefacts:read")
# Warnings that concern nothing in the generated client: 3.1 as such, an inline schema or example
# without a name, the parent of a problem, the type of a free-form member, the parameter `from`.
HARMLESS = re.compile(
    "OpenAPI 3.1 support is still in beta"
    "|Failed to get the schema name: null"
    "|Failed to look up parent schema: null"
    "|Ignoring complex example on request body"
    "|Codegen property is null "
    r"|From \(reserved word\) cannot be used as model name"
)
BIN = "node_modules/.bin"


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """The output of a command that succeeds within ten minutes."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | variables, text=True, check=False, timeout=600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout[-8000:]}"
    return done.stdout


def versions() -> dict[str, str]:
    """The variables of the file `versions`."""
    lines = (SUITE / "versions").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


@pytest.fixture(scope="module")
def document(stack: Stack) -> Path:
    """/openapi.json as the running service serves it."""
    path = CACHE / "openapi.json"
    answer = requests.get(f"{stack.url}/openapi.json", timeout=60)
    answer.raise_for_status()
    path.write_bytes(answer.content)
    return path


class Generator:
    """Generates each client once. `warnings` are the lines of that run, by language."""

    def __init__(self, document: Path) -> None:
        self._document = document
        self.warnings: dict[str, list[str]] = {}

    def client(self, language: str) -> Path:
        """The folder of the generated client."""
        client = CACHE / "clients" / language
        if language not in self.warnings:
            shutil.rmtree(client, ignore_errors=True)
            jar = CACHE / f"openapi-generator-cli-{versions()['GENERATOR']}.jar"
            output = run(
                "java", "-jar", jar, "generate", "-c", SUITE / language / "generator.yaml",
                "-i", self._document, "-o", client, cwd=CACHE,
            )  # fmt: skip
            self.warnings[language] = [
                line for line in output.splitlines() if re.search(r"\b(WARN|ERROR)\b", line)
            ]
        return client


@pytest.fixture(scope="module")
def generator(document: Path) -> Generator:
    return Generator(document)


@pytest.fixture(scope="module")
def access(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a journey: address, key, session of a person, OAuth client."""
    settings = Settings.from_env(stack.environ)
    app = create_app(settings)
    with app.app_context():
        tenant = tenants.create("Example NV")
        key = credentials.create(
            API_KEY, tenant, "sdk", Environment.TEST, scopes=(*SCOPES, "webhooks:manage")
        )
        platform = platforms.create("ERP vendor")
        acting = credentials.create(PLATFORM_KEY, platform, "sdk", Environment.TEST)
        client = credentials.create(OAUTH_CLIENT, tenant, "sdk", Environment.TEST, scopes=SCOPES)
    session = dev_issuer.mint(settings, tenant_id=tenant, role=Role.ADMIN, subject="developer")
    return {
        "EINVOICE": stack.url,
        "KEY": key.secret,
        "PLATFORM_KEY": acting.secret,
        "SESSION": session,
        "CLIENT_ID": str(client.record.id),
        "CLIENT_SECRET": client.secret,
    }


def compile_python(client: Path) -> list[str | Path]:
    python = CACHE / "python" / "bin"
    every = (
        "import importlib, pkgutil, einvoice_client as made\n"
        "for part in pkgutil.walk_packages(made.__path__, 'einvoice_client.'):\n"
        "    importlib.import_module(part.name)\n"
    )
    run(python / "python", "-W", "error", "-c", every, cwd=client)
    run(
        python / "mypy", "--cache-dir", CACHE / "mypy", "journey.py",
        cwd=SUITE / "python", MYPYPATH=str(client),
    )  # fmt: skip
    return ["env", f"PYTHONPATH={client}", python / "python", SUITE / "python" / "journey.py"]


def pasted(language: str) -> str:
    """The blocks of docs/sdks.md in a language, one after the other."""
    page = (SUITE.parents[2] / "docs" / "sdks.md").read_text()
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def compile_typescript(client: Path) -> list[str | Path]:
    work = CACHE / "typescript"
    for name in ("sending.ts", "receiver.ts", "journey.ts", "tsconfig.json", "package.json"):
        shutil.copy(SUITE / "typescript" / name, work)
    (work / "pasted.ts").write_text(pasted("ts"))
    shutil.rmtree(work / "einvoice-client", ignore_errors=True)
    shutil.copytree(client, work / "einvoice-client")
    run(work / BIN / "tsc", cwd=work)
    return ["node", work / "built" / "journey.js"]


def compile_java(client: Path) -> list[str | Path]:
    work = CACHE / "java"
    run(
        "mvn", "-q", "-B", "-Dstyle.color=never", f"-Dmaven.repo.local={CACHE / 'maven'}",
        f"-Dclient={client}", f"-DbuildDirectory={work}", "compile", "dependency:build-classpath",
        f"-Dmdep.outputFile={work / 'classpath'}",
        cwd=SUITE / "java",
    )  # fmt: skip
    path = f"{work / 'classes'}:{(work / 'classpath').read_text().strip()}"
    return ["java", "-cp", path, "com.example.journey.Journey"]


COMPILERS = {"python": compile_python, "typescript": compile_typescript, "java": compile_java}


@pytest.mark.parametrize("linter", ["redocly", "spectral"])
def test_the_document_passes_the_linter(linter: str, document: Path) -> None:
    """Without an error or a warning."""
    work = CACHE / "lint"
    for name in ("redocly.yaml", ".spectral.yaml"):
        shutil.copy(SUITE / "lint" / name, work)
    if linter == "redocly":
        output = run(
            work / BIN / "redocly", "lint", document, cwd=work, REDOCLY_TELEMETRY="off",
            REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
        )  # fmt: skip
        assert "Your API description is valid" in output, output
        assert "You have" not in output, output  # … 1 warning
    else:
        run(work / BIN / "spectral", "lint", document, "--fail-severity", "hint", cwd=work)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_client_is_generated_without_a_warning(language: str, generator: Generator) -> None:
    generator.client(language)

    assert [line for line in generator.warnings[language] if not HARMLESS.search(line)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_client_does_the_journey(
    language: str, generator: Generator, access: dict[str, str]
) -> None:
    """It compiles, with the programs of docs/sdks.md, and each step does what it should."""
    command = COMPILERS[language](generator.client(language))
    output = run(*command, cwd=CACHE, **access)

    assert output.splitlines() == STEPS


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_the_blocks_of_the_page_are_a_program(
    language: str, generator: Generator, access: dict[str, str], tmp_path: Path
) -> None:
    """Pasted one after the other, they send an invoice and wait for it."""
    client = generator.client(language)
    if language == "python":
        (tmp_path / "pasted.py").write_text(pasted("python"))
        python = CACHE / "python" / "bin" / "python"
        output = run(python, "pasted.py", cwd=tmp_path, PYTHONPATH=str(client), **access)
    else:
        compile_typescript(client)
        output = run("node", CACHE / "typescript" / "built" / "pasted.js", cwd=CACHE, **access)

    assert output == "Delivered\n"
