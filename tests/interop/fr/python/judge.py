"""Judges exchanges by the published interface with openapi-core; run in its own environment.

judge.py FOLDER: reads interface.json and exchanges.json, a list of {name, request: {method, path,
params, query, headers, body}, answer: {status, headers, type, body}} with bodies in base64; prints
a list of faults.
"""

import base64
import json
import sys
from pathlib import Path

from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

SERVER = "https://platform.example"


def request_of(given):
    return MockRequest(
        SERVER,
        given["method"].lower(),
        given["path"],
        args=given["query"],
        headers={name.title(): value for name, value in given["headers"].items()},
        data=base64.b64decode(given["body"]) or None,
        content_type=given["headers"].get("content-type", "application/json"),
    )


def response_of(given):
    body = base64.b64decode(given["body"])
    return MockResponse(
        body or None, given["status"], given["headers"], given["type"] if body else None
    )


def fault_of(check, *given):
    """What a check says against an exchange; None if nothing."""
    try:
        check(*given)
    except OpenAPIError as fault:
        causes = [*getattr(fault.__cause__, "schema_errors", ())]
        return f"{fault!r}: {fault.__cause__!r} {causes}"[:600]
    return None


def faults(folder):
    interface = json.loads((folder / "interface.json").read_text())
    judge = OpenAPI.from_dict(
        interface, Config(extra_media_type_deserializers={"application/octet-stream": bytes})
    )
    for each in json.loads((folder / "exchanges.json").read_text()):
        request, response = request_of(each["request"]), response_of(each["answer"])
        found = (
            fault_of(judge.validate_request, request),
            fault_of(judge.validate_response, request, response),
        )
        yield from (f"{each['name']}: {fault}" for fault in found if fault)


if __name__ == "__main__":
    print(json.dumps(list(faults(Path(sys.argv[1])))))
