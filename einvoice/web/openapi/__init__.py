"""/openapi.json, generated from views, schemas, refusals and headers."""
