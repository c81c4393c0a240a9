"""The OpenAPI document: flask-smorest's, completed by the responses of every route."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from werkzeug.routing import Rule

from einvoice.config import Settings
from einvoice.domain.errors import NotAcceptable
from einvoice.web import credentials, roles
from einvoice.web.addresses import offers
from einvoice.web.api import Family, headers_read, refused
from einvoice.web.openapi import examples, headers, problems, webhooks
from einvoice.web.openapi.headers import REQUEST_HEADERS
from einvoice.web.openapi.tags import TAGS
from einvoice.web.runtime import runtime_of
from einvoice.web.security_requirements import SCHEMES, SecurityRequirement, requirement_of

Document = dict[str, Any]

FORM = "application/x-www-form-urlencoded"
# The beginning of a path, up to the version: /api/v2.
_VERSIONED = re.compile(r"\b(?:api|v[0-9]+)\b")
_REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')
_CONVERTED = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_ABOUT = """\
Send e-invoices over the Peppol network and track them.

To begin, authorize with a key of the sandbox (`sk_test_…`) as `x-api-key`, look up the participant
`0088:9520000000004`, and send the body shown with the `accessPointRef` of the lookup. The sandbox
sends nothing to a network.

Every answer has `X-Request-Id`; every refusal is a problem document (RFC 7807), whose `type` is
stable and the address of its explanation. Any other address answers 404 `not-found`, any other
method 405 `method-not-allowed`. Bodies may be sent with `Content-Encoding: gzip`. Money is a
decimal number, never text; timestamps are UTC, `YYYY-MM-DDThh:mm:ss.mmmZ`. Clients ignore members
they do not know: new ones are not a breaking change.

With a key of the sandbox, the header `Sandbox-Problem` (such as `rate-limit-exceeded`, or
`overloaded; once`) makes a route answer with its 429 or one of its 503s, so that you can rehearse
what your program does about it."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one address."""

    rule: Rule
    method: str
    family: Family
    view: Callable[..., Any]

    @property
    def requirement(self) -> SecurityRequirement:
        return requirement_of(self.family.credential)

    @property
    def ids(self) -> list[str]:
        """The names of the parameters in the path, in their order."""
        return _CONVERTED.findall(self.rule.rule)


def document_text(app: Flask, spec: APISpec) -> str:
    """The document as text, as it is served."""
    return json.dumps(document(app, spec), ensure_ascii=False, separators=(",", ":"))


def document(app: Flask, spec: APISpec) -> Document:
    """The document as plain JSON, with every route of every family."""
    settings = runtime_of(app).settings
    webhooks.add_schemas(spec)
    raw = json.loads(json.dumps(spec.to_dict(), default=float))
    _describe(raw["components"]["schemas"], spec)
    _write_nulls(raw["components"]["schemas"])
    schemas = raw["components"]["schemas"] | problems.schemas(settings.errors_prefix)
    paths: dict[str, Document] = {}
    names: set[str] = set()
    for route in routes(app):
        gathered = raw["paths"][_CONVERTED.sub(r"{\1}", route.rule.rule)]
        operation = _completed(route, gathered[route.method])
        operation["operationId"] = _name(route, names)
        _name_bodies(operation, schemas)
        path = paths.setdefault(shown(route.rule), {"parameters": _path_parameters(route)})
        path[route.method] = operation
    paths["/api/webhooks"]["post"]["callbacks"] = webhooks.callbacks(schemas)
    _open_responses(paths, schemas)
    return {
        "openapi": raw["openapi"],
        "info": {**raw["info"], "description": _ABOUT},
        "servers": _servers(settings),
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "examples": problems.samples(settings.errors_prefix, schemas)
            | examples.of_responses(paths, schemas),
            "parameters": headers.parameters(),
            "headers": headers.RESPONSE_HEADERS,
            "securitySchemes": {name: dict(scheme) for name, scheme in SCHEMES.items()},
        },
        "x-problems-everywhere": list(problems.EVERYWHERE),
    }


def _describe(schemas: dict[str, Document], spec: APISpec) -> None:
    """Describe each schema by the docstring of its class, if it has one."""
    for plugin in spec.plugins:
        if isinstance(plugin, MarshmallowPlugin) and plugin.converter:
            for key, name in plugin.converter.refs.items():
                if message := vars(key[0]).get("__doc__"):
                    schemas[name]["description"] = " ".join(message.split())


def _write_nulls(schemas: dict[str, Document]) -> None:
    """Write an object or null as `oneOf`: openapi-generator before 7.17 fails at `anyOf`."""
    for schema in schemas.values():
        for shape in schema.get("properties", {}).values():
            if "anyOf" in shape:
                shape["oneOf"] = shape.pop("anyOf")


def routes(app: Flask) -> Iterator[Route]:
    """Every documented method of every path, in the order of registration."""
    for rule in app.url_map.iter_rules():
        family = app.blueprints.get(rule.endpoint.rpartition(".")[0])
        name = rule.endpoint.rpartition(".")[2]
        if isinstance(family, Family) and name not in family.undocumented:
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield Route(rule, method.lower(), family, app.view_functions[rule.endpoint])


def shown(rule: Rule) -> str:
    """The path in the form of the document: `/api/invoices/{invoiceId}`."""
    return _CONVERTED.sub(lambda match: "{" + _camel(match[1]) + "}", rule.rule)


def slugs(route: Route, operation: Document) -> Iterator[str]:
    """The slugs of all refusals of a route, with duplicates."""
    yield from route.requirement.refusals
    media = operation.get("requestBody", {}).get("content", {})
    if "application/json" in media:
        yield from ("invalid-body", "invalid-field")
    if media:
        yield from ("payload-too-large", "body-too-slow")
    if media.keys() - {FORM}:  # the token endpoint reports another type as OAuth does
        yield "unsupported-media-type"
    if any(parameter.get("in") == "query" for parameter in operation.get("parameters", ())):
        yield "invalid-field"
    if route.ids:
        yield "not-found"
    if offers(route.view):
        yield NotAcceptable.slug
    for header in _headers_read(route):
        yield from REQUEST_HEADERS[header].problems
    yield from refused(route.view)
    yield from ("database-unavailable", "internal-error")


def _name_bodies(operation: Document, schemas: dict[str, Document]) -> None:
    """Make components of the bodies that a view writes out with a `title`, which is their name."""
    for body in operation.get("requestBody", {}).get("content", {}).values():
        if name := body["schema"].pop("title", ""):
            schemas[name] = body["schema"]
            body["schema"] = {"$ref": problems.reference(name)}


def _open_responses(paths: dict[str, Document], schemas: dict[str, Document]) -> None:
    """Let objects of responses have further members; a request with an unknown one is refused.

    Requests say so with `unevaluatedProperties`: openapi-generator 7.14 for Python does not
    generate an object that has `additionalProperties: false` and a member that may be null.
    """
    bodies = [o.get("requestBody") for item in paths.values() for o in item.values() if "tags" in o]
    requested = _reachable(bodies, schemas)
    for name, schema in schemas.items():
        if schema.get("additionalProperties") is False:
            del schema["additionalProperties"]
            if name in requested:
                schema["unevaluatedProperties"] = False


def _reachable(start: object, schemas: dict[str, Document]) -> set[str]:
    """Names of the schemas to which `start` refers, directly or not."""
    found: set[str] = set()
    pending = [start]
    while pending:
        for name in _REFERENCE.findall(json.dumps(pending.pop())):
            if name not in found:
                found.add(name)
                pending.append(schemas[name])
    return found


def _content_of_part(status: str, answers: Document) -> Document:
    """The content of a 206, as of the whole; 304 has none."""
    whole = answers.get("200", {}).get("content")
    return {"content": whole} if status == "206" and whole else {}


def _completed(route: Route, operation: Document) -> Document:
    requirement = route.requirement
    if operation["tags"] == [route.family.name]:  # smorest's default
        operation["tags"] = [route.family.tag]
    request_headers = _headers_read(route)
    answers = {s: a for s, a in operation["responses"].items() if s != "default"}
    for header in request_headers:
        for status, message in (REQUEST_HEADERS[header].statuses or {}).items():
            answers[status] = {"description": message} | _content_of_part(status, answers)
    for status, answer in problems.answers(slugs(route, operation)).items():
        answers[status] = _merged(answers.get(status), answer)
    for status, answer in answers.items():
        documented = headers.response_headers(status, request_headers, requirement=requirement)
        answer["headers"] = documented | answer.get("headers", {})
    operation["responses"] = dict(sorted(answers.items()))
    examples.add(operation.get("requestBody", {}).get("content", {}))
    texts = (operation.get("description"), _callers(route))
    operation["description"] = "\n\n".join(text for text in texts if text)
    names = ("X-Request-Id", *request_headers)
    references = [{"$ref": f"#/components/parameters/{name}"} for name in names]
    operation["parameters"] = [_in_query(p) for p in operation.get("parameters", [])] + references
    operation["security"] = [{scheme: []} for scheme in requirement.schemes]
    return operation


def _headers_read(route: Route) -> tuple[str, ...]:
    """The request headers of a route; on those of tenants, programs may name the tenant."""
    programs = set(route.requirement.schemes) - {"session", "operator"}
    of_tenant = programs and route.family.name not in credentials.PLATFORM_FAMILIES
    return (*((credentials.X_TENANT,) if of_tenant else ()), *headers_read(route.view))


def _callers(route: Route) -> str:
    """The callers that the route admits, as a sentence."""
    schemes = set(route.requirement.schemes)
    programs = ["programs (API key or access token)"] if schemes & {"apiKey", "bearer"} else []
    if schemes & {"platform"}:
        programs.append("platforms")
    if "operator" in schemes:
        programs.append("operators of this service")
    people = []
    if "session" in schemes:
        people = [f"people with the role {roles.LEAST[route.rule.endpoint].value} or a higher one"]
    return f"For {' and '.join([*programs, *people]) or 'everybody, without a credential'}."


def _in_query(parameter: Document) -> Document:
    """A parameter of a query, where null is not a value."""
    schema = dict(parameter["schema"])
    if isinstance(schema.get("type"), list):
        [schema["type"]] = set(schema["type"]) - {"null"}
    if "enum" in schema:
        schema["enum"] = [value for value in schema["enum"] if value is not None]
    return {**parameter, "schema": schema}


def _merged(said: Document | None, derived: Document) -> Document:
    """A response of the view merged with the problems of the same status."""
    if said is None:
        return derived
    content = said.get("content", {}) | derived["content"]
    message = f"{said.get('description', '')}\n{derived['description']}".strip()
    return {**said, "description": message, "content": content}


def _path_parameters(route: Route) -> list[Document]:
    return [
        {
            "in": "path",
            "name": _camel(name),
            "required": True,
            "description": _words(name),
            "schema": {"type": "string", "minLength": 1},
        }
        for name in route.ids
    ]


def _words(name: str) -> str:
    thing = name.removesuffix("_id").replace("_", " ")
    return f"Id of the {thing}." if name.endswith("_id") else f"The {thing}."


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _name(route: Route, taken: set[str]) -> str:
    """`sendInvoice`; at a further path of the same view `sendInvoiceAtV2`."""
    name = _camel(getattr(route.view, "__name__", "view"))
    if name in taken:
        name += "At" + "".join(part.capitalize() for part in _VERSIONED.findall(route.rule.rule))
    taken.add(name)
    return name


def _servers(settings: Settings) -> list[Document]:
    live = {"url": settings.base_url, "description": "Production"}
    if not settings.sandbox_base_url:
        return [live | {"description": "Production and sandbox, depending on the key"}]
    return [{"url": settings.sandbox_base_url, "description": "Sandbox"}, live]
