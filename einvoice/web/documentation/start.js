// Shows /openapi.json and tries it on the host this page came from; asks nobody else (no
// validator badge, no fonts from elsewhere).
async function start() {
  const contract = await (await fetch("/openapi.json")).json();
  SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: window.location.origin }] },
    dom_id: "#contract",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
}
window.addEventListener("load", start);
