#!/usr/bin/env python3
"""Generate what the clients are made of from the contract of this checkout; run by `make clients`.

`contract.json` is the part of /openapi.json that keys of programs and platforms open. From it come
`python/einvoice_client/generated` (openapi-python-client), where npm is installed
`typescript/src/generated` (openapi-typescript), and of its examples the requests in
`einvoice.postman_collection.json` and `einvoice-platforms.postman_collection.json`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CONTRACT = HERE / "contract.json"
COLLECTIONS = {
    "apiKey": HERE / "einvoice.postman_collection.json",
    "platform": HERE / "einvoice-platforms.postman_collection.json",
}
PYTHON = HERE / "python" / "einvoice_client" / "generated"
TYPESCRIPT = HERE / "typescript" / "src" / "generated"
METHODS = ("get", "post", "put", "patch", "delete")
BYTES = (
    "application/pdf",
    "application/xml",
    "application/zip",
    "image/png",
    "image/jpeg",
    "text/csv",
)
Json = dict[str, Any]


def contract(document: Json) -> Json:
    """The routes that a key opens and that are not deprecated; without problems and examples."""
    paths = {path: _operations(item) for path, item in document["paths"].items()}
    reduced = {
        "openapi": document["openapi"],
        "info": {"title": "einvoice", "version": "1"},
        "paths": {path: item for path, item in sorted(paths.items()) if item},
    }
    components = document["components"]
    kept: Json = {}
    waiting = set(_references(reduced))
    while waiting:
        kind, name = place = waiting.pop()
        kept.setdefault(kind, {})[name] = part = _plain(components[kind][name])
        waiting |= {found for found in _references(part) if found[1] not in kept.get(found[0], {})}
        waiting.discard(place)
    parts = {kind: dict(sorted(named.items())) for kind, named in sorted(kept.items())}
    return reduced | {"components": parts}


def _operations(item: Json) -> Json:
    """The open operations of a path with its parameters; empty if it has none."""
    found = {m: _operation(item[m]) for m in METHODS if m in item and _is_open(item[m])}
    shared = {"parameters": _plain(item["parameters"])} if item.get("parameters") else {}
    return found | shared if found else {}


def _is_open(operation: Json) -> bool:
    schemes = {name for way in operation.get("security", ()) for name in way}
    return bool(schemes & {"apiKey", "platform"}) and not operation.get("deprecated")


def _operation(operation: Json) -> Json:
    kept = {k: v for k, v in operation.items() if k not in ("security", "responses", "callbacks")}
    fine = {s: _response(r) for s, r in operation["responses"].items() if s.startswith("2")}
    plain: Json = _plain(kept)
    return plain | {"responses": fine}


def _response(response: Json) -> Json:
    plain: Json = _plain({k: v for k, v in response.items() if k != "headers"})
    return plain


def _plain(value: Any) -> Any:
    """Without examples, and without mappings to addresses of an installation."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    dropped = {"example", "examples", "discriminator"}
    return {k: _plain(v) for k, v in value.items() if k not in dropped}


def _references(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            _, _, kind, name = value["$ref"].split("/")
            yield kind, name
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def without_texts(value: Any) -> Any:
    """What programs depend on: a contract without the texts for people."""
    if isinstance(value, list):
        return [without_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        k: without_texts(v)
        for k, v in value.items()
        if not (k in ("description", "summary") and isinstance(v, str))
    }


def once_only(document: Json) -> list[tuple[str, str]]:
    """Method and path of the operations that take an Idempotency-Key, as regular expressions."""
    parameters = document["components"].get("parameters", {})
    found = []
    for path, item in document["paths"].items():
        for method in METHODS:
            for parameter in item.get(method, {}).get("parameters", ()):
                name = parameter.get("name")
                if "$ref" in parameter:
                    name = parameters[parameter["$ref"].rsplit("/", 1)[1]]["name"]
                if name == "Idempotency-Key":
                    found.append((method.upper(), re.sub(r"\{[^}]+\}", "[^/]+", path)))
    return sorted(found)


def served() -> Json:
    """/openapi.json of this checkout, with its default settings."""
    from einvoice.app import create_app
    from einvoice.config import Settings

    app = create_app(Settings(database_url="sqlite://"), plugins=[])
    document: Json = json.loads(app.test_client().get("/openapi.json").data)
    return document


def actions() -> list[tuple[str, str]]:
    """Slug and advice of each problem, as GET /errors/<slug> has them."""
    from einvoice.web.explanations import EXPLANATIONS

    return sorted((slug, text.action) for slug, text in EXPLANATIONS.items())


# A parameter named `response` is hidden by a variable of the generated functions.
_ANSWER = re.compile(r"^(    )response( = (?:await )?client\.)", re.MULTILINE)

_BUILT = "    return _build_response(client=client, response=response)"


def _bodies_as_bytes(document: Json) -> Json:
    """Bodies that are no JSON are bytes, for which the generator needs the format `binary`."""
    copied: Json = json.loads(json.dumps(document))
    for item in copied["paths"].values():
        for method in METHODS:
            contents = item.get(method, {}).get("requestBody", {}).get("content", {})
            for kind in set(contents) & set(BYTES):
                contents[kind]["schema"] = {"type": "string", "format": "binary"}
    return copied


def generate_python(document: Json) -> None:
    overrides = dict.fromkeys(BYTES, "application/octet-stream")
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory) / "config.json"
        settings = {
            "post_hooks": [],
            "content_type_overrides": overrides,
            "docstrings_on_attributes": True,
        }
        config.write_text(json.dumps(settings))
        shutil.rmtree(PYTHON, ignore_errors=True)
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        source = Path(directory) / "contract.json"
        source.write_text(json.dumps(_bodies_as_bytes(document)))
        command += ["--path", source, "--config", config, "--output-path", PYTHON]
        subprocess.run(command, check=True)  # noqa: S603
    for made in PYTHON.rglob("*.py"):
        text = _ANSWER.sub(r"\1answer\2", made.read_text())
        text = text.replace(_BUILT, _BUILT.replace("=response", "=answer"))
        lines = [line.rstrip() for line in text.splitlines()]
        made.write_text("\n".join(lines) + "\n")
    lines = [f'    ("{method}", r"{path}"),\n' for method, path in once_only(document)]
    text = (
        '"""Operations that take an Idempotency-Key: method, path as a regular expression."""\n\n'
    )
    head = f"{text}ONCE: tuple[tuple[str, str], ...] = (\n"
    (PYTHON / "once.py").write_text(head + "".join(lines) + ")\n")
    text = '"""What to do about each problem, by slug."""\n\nACTIONS: dict[str, str] = {\n'
    lines = [f"    {slug!r}: {action!r},\n" for slug, action in actions()]
    (PYTHON / "actions.py").write_text(text + "".join(lines) + "}\n")


def generate_typescript(document: Json) -> None:
    root = TYPESCRIPT.parents[1]
    if shutil.which("npm") is None:
        print("npm is not installed: the TypeScript client is not generated")
        return
    subprocess.run([root / "prepare"], check=True)  # noqa: S603
    TYPESCRIPT.mkdir(parents=True, exist_ok=True)
    made = TYPESCRIPT / "contract.ts"
    command = [root / "node_modules/.bin/openapi-typescript", CONTRACT, "-o", made]
    subprocess.run(command, cwd=root, check=True)  # noqa: S603
    lines = "".join(f"  [{json.dumps(m)}, {json.dumps(p)}],\n" for m, p in once_only(document))
    lines += "];\n"
    text = "// Operations that take an Idempotency-Key: method, path as a regular expression.\n"
    (TYPESCRIPT / "once.ts").write_text(
        f"{text}export const ONCE: readonly (readonly [string, string])[] = [\n{lines}"
    )
    lines = "".join(f"  {json.dumps(s)}: {json.dumps(advice)},\n" for s, advice in actions())
    text = "// What to do about each problem, by slug.\n"
    (TYPESCRIPT / "actions.ts").write_text(
        f"{text}export const ACTIONS: Readonly<Record<string, string>> = {{\n{lines}}};\n"
    )


def generate_collections(document: Json, paths: Json) -> None:
    from postman import collection  # beside this program

    for scheme, file in COLLECTIONS.items():
        text = json.dumps(collection(document, paths, scheme), indent=1, ensure_ascii=False)
        file.write_text(text + "\n")


def main() -> None:
    whole = served()
    document = contract(whole)
    CONTRACT.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    generate_python(document)
    generate_typescript(document)
    generate_collections(whole, document["paths"])


if __name__ == "__main__":
    main()
