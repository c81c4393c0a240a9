// The client looks up, sends, waits, lists and says what is wrong, at a running service.
// EINVOICE is its address, KEY a key of the sandbox.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import {
  Client,
  Conflict,
  InvalidRequest,
  NetworkFailed,
  NoAnswer,
  NotAuthenticated,
  NotFound,
  Problem,
  RateLimited,
  type SendRequest,
  Unavailable,
  UnexpectedAnswer,
} from "../src/index.js";
import { type Answer, type Fault, Line, problem } from "./line.js";

const { EINVOICE = "", KEY = "" } = process.env;
const RECEIVER = "0088:9520000000004";
const SLOW = "0088:9520000000011";

const line = new Line(EINVOICE);
let address: string;
let client: Client;
let pauses: number[] = [];

before(async () => {
  address = await line.open();
  client = connected();
});
after(() => line.close());
beforeEach(() => {
  line.faults = [];
  line.requests = [];
  pauses = [];
});

function connected(key = KEY, timeout = 40): Client {
  const sleep = (seconds: number) => {
    pauses.push(seconds);
    return Promise.resolve();
  };
  return new Client(address, key, { sleep, timeout });
}

async function body(receiver = RECEIVER, number: string = randomUUID()): Promise<SendRequest> {
  const { accessPointRef } = await client.lookUp(receiver);
  assert(accessPointRef);
  line.requests = [];
  return {
    invoice: {
      number,
      issueDate: "2026-11-21",
      currency: "EUR",
      buyerReference: "PO-1",
      supplier: { name: "Acme NV", taxId: "BE0123456749", address: { countryCode: "BE" } },
      buyer: { name: "Buyer BV", address: { countryCode: "BE" } },
      lineItems: [{ description: "Consulting", quantity: 2, unitPrice: 50, taxRate: 21 }],
      totals: { subtotal: 100, taxAmount: 21, grandTotal: 121 },
    },
    routing: {
      senderParticipantId: "0208:0123456749",
      receiverParticipantId: receiver,
      accessPointRef,
    },
  };
}

async function collected<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const found = [];
  for await (const each of list) found.push(each);
  return found;
}

test("it sends, waits, and lists", async () => {
  const made = await body();
  const { invoiceId } = await client.send(made, { wait: 0 });
  assert(invoiceId);
  const patient = new Client(EINVOICE, KEY);
  const found = await patient.wait(invoiceId, { interval: 0.1 });
  const listed = await collected(client.invoices({ number: made.invoice.number }));
  const params = { path: { invoiceId } };
  const artefacts = await client.api.GET("/api/invoices/{invoiceId}/artefacts", { params });
  const pdf = await client.api.GET("/api/invoices/{invoiceId}/pdf", { params, parseAs: "text" });

  assert.equal(found.networkStatus, "Delivered");
  assert.deepEqual(listed.map((each) => each.invoiceId), [invoiceId]);
  assert.equal((await client.content(invoiceId)).invoice.currency, "EUR");
  const events = await collected(client.events());
  assert(events.some((event) => event.invoiceId === invoiceId));
  assert(artefacts.data?.items.some(({ type }) => type === "UBL"));
  assert(pdf.data?.startsWith("%PDF-"));
});

test("a check stores nothing", async () => {
  const made = await body();

  assert.equal((await client.check(made)).dryRun, true);
  assert.deepEqual(await collected(client.invoices({ number: made.invoice.number })), []);
});

test("a send whose answer is lost is repeated with its key, and sent once", async () => {
  const made = await body();
  line.faults = ["cut", "down", "half"];
  await client.send(made, { wait: 0 });
  const keys = new Set(line.requests.map(({ key }) => key));

  assert.equal(line.requests.length, 4);
  assert.equal(keys.size, 1);
  assert.equal((await collected(client.invoices({ number: made.invoice.number }))).length, 1);
  assert.deepEqual(pauses.map(Math.floor), [1, 2, 4]);
});

test("each send has a key of its own, and one that is given is used", async () => {
  await client.send(await body(), { wait: 0 });
  const first = line.requests[0]?.key;
  await client.send(await body(), { wait: 0, idempotencyKey: `erp-${first}` });

  assert.match(first ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(line.requests[0]?.key, `erp-${first}`);
});

test("requests are repeated by the documented table", async () => {
  const html = { "content-type": "text/html" };
  const cases: [string, Fault, number | undefined][] = [
    ["429 after Retry-After", problem("rate-limit-exceeded", 429, { "retry-after": "7" }), 7],
    ["503 after Retry-After", problem("too-busy", 503, { "retry-after": "2" }), 2],
    ["409 in progress", problem("idempotency-in-progress", 409, { "retry-after": "1" }), 1],
    ["500", problem("internal-error", 500), 1],
    ["a proxy alone", { status: 502, headers: html, body: "<h1>Bad Gateway</h1>" }, 1],
    ["the longest pause", problem("rate-limit-exceeded", 429, { "retry-after": "60" }), 60],
    ["a longer pause", problem("plan-limit-paused", 429, { "retry-after": "61" }), undefined],
    ["damage that stays", problem("archive-damaged", 500), undefined],
    ["another conflict", problem("conflict", 409), undefined],
    ["a refusal", problem("invalid-field", 400), undefined],
  ];
  const wrong = [];
  for (const [name, fault, pause] of cases) {
    line.faults = [fault];
    pauses = [];
    await client.invoice(randomUUID()).catch((error) => assert(error instanceof Problem));
    const [seen] = pauses;
    const fits = pause === undefined ? seen === undefined : seen && seen >= pause && seen <= pause * 1.26;
    if (!fits) wrong.push([name, seen]);
  }

  assert.deepEqual(wrong, []);
});

test("a request that might act twice is not repeated", async () => {
  for (const fault of ["cut", problem("internal-error", 500)] as const) {
    line.faults = [fault];
    line.requests = [];
    const params = { path: { draftId: randomUUID() } };
    await assert.rejects(
      client.api.DELETE("/api/drafts/{draftId}", { params }),
      (error) => error instanceof NoAnswer || error instanceof Unavailable,
    );

    assert.equal(line.requests.length, 1);
  }
});

test("a service that is away is given up after five attempts", async () => {
  line.faults = ["down", "down", "down", "down", "down", "down"];
  await assert.rejects(client.invoice(randomUUID()), NoAnswer);

  assert.equal(line.requests.length, 5);
  assert.equal(pauses.length, 4);
});

test("an answer that pauses for too long is given up", async () => {
  const silent = new Client(address, KEY, { fetch: slow, timeout: 0.05, sleep: async () => {} });

  await assert.rejects(silent.invoice(randomUUID()), /no answer in 0.05 seconds/);
});

/** An answer whose body never ends. */
const slow: typeof fetch = (_input, init) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{"));
      const { signal } = init ?? {};
      signal?.addEventListener("abort", () => controller.error(signal.reason));
    },
  });
  return Promise.resolve(new Response(body, { headers: { "content-type": "application/json" } }));
};

test("refusals are typed, and say what to do", async () => {
  const made = await body();
  const misspelt = { ...made, invoice: { ...made.invoice, currency: "eur" } };
  const send = (...faults: Fault[]) => {
    line.faults = faults;
    return client.send(made);
  };
  const cases: [() => Promise<unknown>, typeof Problem, string, string[]][] = [
    [() => client.send(misspelt), InvalidRequest, "invalid-field", ["/invoice/currency"]],
    [() => client.invoice("0f0c"), NotFound, "not-found", []],
    [() => client.invoice("../keys"), NotFound, "not-found", []],
    [() => client.invoice(".."), NotFound, "not-found", []],
    [() => connected("sk_test_unknown").invoice("0f0c"), NotAuthenticated, "invalid-api-key", []],
    [() => send(problem("duplicate-invoice", 409)), Conflict, "duplicate-invoice", []],
    [
      () => send(problem("plan-limit-paused", 429, { "retry-after": "99" })),
      RateLimited,
      "plan-limit-paused",
      [],
    ],
  ];
  for (const [act, kind, slug, fields] of cases) {
    const error: unknown = await act().catch((raised: unknown) => raised);

    assert(error instanceof kind, `${slug}: ${error}`);
    assert.equal(error.name, kind.name);
    assert.equal(error.slug, slug);
    assert.deepEqual(error.fields, fields);
    assert.match(error.whatToDo, /\.$/);
  }
});

test("a rejection by the network says whether to send again", async () => {
  const made = await body();
  const members = { type: "x/errors/network-failed", detail: "no", retryable: true };
  line.faults = [{ status: 400, body: JSON.stringify(members) }];

  await assert.rejects(
    client.send(made),
    (error) => error instanceof NetworkFailed && error.retryable,
  );
});

test("an answer of somebody else is never taken for the service's", async () => {
  const html = { "content-type": "text/html; charset=utf-8" };
  const json = { "content-type": "application/json" };
  const answers: Answer[] = [
    { status: 403, headers: html, body: "<h1>Blocked by the firewall</h1>" },
    { status: 200, headers: html, body: "<h1>Log in to the wireless network</h1>" },
    { status: 200, headers: { "content-type": "text/plain" }, body: "OK" },
    { status: 302, headers: { location: "https://login.example" } },
    { status: 200, headers: json },
    { status: 200, headers: json, body: "[]" },
    { status: 400, headers: json, body: '{"error": "invalid_client"}' },
    { status: 403, headers: html, body: "x".repeat(100_000) },
  ];
  for (const answer of answers) {
    line.faults = [answer];
    await assert.rejects(
      client.invoice(randomUUID()),
      (error) => error instanceof UnexpectedAnswer && error.message.length < 600,
      `${answer.status} ${answer.body?.slice(0, 40)}`,
    );
  }
});

test("batches and lists are read over all their pages", async () => {
  const made = await body();
  const prefix = randomUUID();
  const batch = [0, 1, 2, 3, 4].map(
    (n) => [`${prefix}-${n}`, { ...made, invoice: { ...made.invoice, number: `${prefix}-${n}` } }] as const,
  );
  const results = await collected(client.sendBatch(batch, 2));
  const found = await collected(client.invoices({ limit: 2 }));
  const numbers = found.map((each) => each.number ?? "").filter((each) => each.startsWith(prefix));

  assert.deepEqual(results.map((each) => each.idempotencyKey), batch.map(([key]) => key));
  assert.deepEqual(numbers.sort(), batch.map(([key]) => key));
  await assert.rejects(collected(client.sendBatch(batch, 501)), RangeError);
});

test("a batch during which the service restarts is sent once", async () => {
  const made = await body();
  const number = randomUUID();
  const batch = [[number, { ...made, invoice: { ...made.invoice, number } }]] as const;
  const html = { "content-type": "text/html" };
  line.faults = ["cut", "down", { status: 502, headers: html, body: "<h1>Bad Gateway</h1>" }];
  const results = await collected(client.sendBatch(batch));

  assert.deepEqual(results.map((each) => each.idempotencyKey), [number]);
  assert.equal((await collected(client.invoices({ number }))).length, 1);
});

test("a page that names itself as the next ends the list", async () => {
  const page = { items: [], hasMore: true, nextCursor: "c" };
  const headers = { "content-type": "application/json" };
  line.faults = [1, 2, 3].map(() => ({ status: 200, headers, body: JSON.stringify(page) }));

  await assert.rejects(collected(client.events()), UnexpectedAnswer);
});

test("waiting ends when its seconds are over", async () => {
  const { invoiceId } = await client.send(await body(SLOW), { wait: 0 });
  assert(invoiceId);

  await assert.rejects(client.wait(invoiceId, { seconds: 0 }), /still Processing/);
});

test("what is no address or key is refused at once", () => {
  for (const [url, key] of [["einvoice.example", "k"], ["http://x", ""], ["http://x", "a\nb"]]) {
    assert.throws(() => new Client(url ?? "", key ?? ""), TypeError);
  }
});
