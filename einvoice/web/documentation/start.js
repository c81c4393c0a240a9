// Shows /openapi.json and sends requests to the host of this page only (no validator badge, no
// external fonts).
async function start() {
  const contract = await (await fetch("/openapi.json")).json();
  const references = new Set();
  optionalFieldsStayEmpty(contract);
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: window.location.origin }] },
    dom_id: "#contract",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    responseInterceptor: (answer) => remember(answer, references),
    requestInterceptor: (request) => withOwnReference(request, contract, references),
  });
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
