// Shows /openapi.json and sends requests to the host of this page only (no validator badge, no
// external fonts).
async function start() {
  const contract = await (await fetch("/openapi.json")).json();
  const references = new Set();
  writeAs30(contract);
  optionalFieldsStayEmpty(contract);
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: window.location.origin }] },
    dom_id: "#contract",
    deepLinking: true,
    docExpansion: "none", // with 140 operations listed at once it shows the first family only
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    responseInterceptor: (answer) => remember(answer, references),
    requestInterceptor: (request) => withOwnReference(request, contract, references),
  });
}

// Swagger UI takes seconds to show an operation of OpenAPI 3.1, and tenths of seconds for one of 3.0:
// here what differs is written as in 3.0.
function writeAs30(contract) {
  contract.openapi = "3.0.3";
  inEachObject(contract, (part) => {
    if (Array.isArray(part.type)) {
      part.type = part.type.find((type) => type !== "null");
      part.nullable = true;
    }
    const [reference, other] = part.oneOf || [];
    if (other?.type === "null") {
      delete part.oneOf;
      Object.assign(part, reference, { nullable: true });
    }
    if (part.$ref && Object.keys(part).length > 1) {
      part.allOf = [{ $ref: part.$ref }];
      delete part.$ref;
    }
    if (typeof part.exclusiveMinimum === "number") {
      part.minimum = part.exclusiveMinimum;
      part.exclusiveMinimum = true;
    }
  });
}

function inEachObject(value, change) {
  if (value === null || typeof value !== "object") return;
  if (!Array.isArray(value)) change(value);
  Object.values(value).forEach((inner) => inEachObject(inner, change));
}

// Swagger UI fills forms with the examples, optional parameters included: every filter of a list, an
// unknown ETag. Here the examples of optional parameters move to their descriptions.
function optionalFieldsStayEmpty(contract) {
  const operations = Object.values(contract.paths).flatMap((path) => Object.values(path));
  const parameters = operations.flatMap((operation) => operation.parameters || []);
  for (const parameter of [...parameters, ...Object.values(contract.components.parameters)]) {
    if (parameter.required || parameter.in === "path") continue;
    const example = parameter.example ?? parameter.schema?.example;
    delete parameter.example;
    delete parameter.schema?.example;
    if (example !== undefined) parameter.description += ` For example \`${example}\`.`;
  }
}

// The example of a send has an unknown accessPointRef: it is replaced by that of a lookup made here.
function remember(answer, references) {
  const found = answer.body?.accessPointRef;
  if (found) references.add(found);
  return answer;
}

function withOwnReference(request, contract, references) {
  const send = contract.paths["/api/invoices/send"].post.requestBody.content["application/json"];
  const example = send.example.routing.accessPointRef;
  const own = [...references].pop();
  if (own && typeof request.body === "string") {
    request.body = request.body.replaceAll(example, own);
  }
  return request;
}

window.addEventListener("load", start);
