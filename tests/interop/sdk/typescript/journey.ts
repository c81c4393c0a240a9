// The journey of an integrator with the generated TypeScript client. Prints a line for each step.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import {
  Configuration,
  CustomersApi,
  InvoicesApi,
  KeysApi,
  PlatformsApi,
  ResponseError,
  type TransactionSentEvent,
  WebhooksApi,
} from "./einvoice-client/index.js";
import { type Notice, Receiver } from "./receiver.js";
import {
  connect,
  connectWithToken,
  explain,
  invoice,
  lookUp,
  pause,
  send,
  wait,
  withRetries,
} from "./sending.js";

const RECEIVER = "0088:9520000000004";
const BILLER = "0088:9520000000127"; // sends a bill back

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const URL = variable("EINVOICE");

async function firstSend(client: Configuration): Promise<string> {
  const reference = await lookUp(client, RECEIVER);
  const sent = await send(client, invoice("TS-1", RECEIVER, reference), "TS-1");
  const delivered = await wait(client, sent);
  assert.equal(sent.networkStatus, "Processing");
  assert.equal(delivered.networkStatus, "Delivered");
  assert.equal(delivered.grandTotal, 121);
  return delivered.invoiceId;
}

// A repetition with the same key returns the first result.
async function retry(client: Configuration, first: string): Promise<void> {
  const body = invoice("TS-1", RECEIVER, await lookUp(client, RECEIVER));
  const again = await withRetries(() => send(client, body, "TS-1"));
  assert.equal(again.invoiceId, first);
  const request = { sendRequest: body, idempotencyKey: "TS-1" };
  const { raw } = await new InvoicesApi(client).sendInvoiceRaw(request);
  assert.equal(raw.headers.get("Idempotency-Replay"), "true");
}

async function refusal(request: Promise<unknown>): Promise<ResponseError> {
  try {
    await request;
  } catch (failure) {
    if (failure instanceof ResponseError) return failure;
    throw failure;
  }
  throw new Error("The request was not refused.");
}

// Each problem has the members of its type.
async function refusals(client: Configuration): Promise<void> {
  const body = invoice("TS-2", RECEIVER, await lookUp(client, RECEIVER));
  body.invoice.currency = "ABC";
  const field = await refusal(send(client, body, "TS-2"));
  assert.equal(field.response.status, 400);
  const words = "/invoice/currency: 'ABC' is not an ISO 4217 currency code";
  assert.equal(await explain(field), words);
  body.invoice.currency = "EUR";
  body.invoice.totals.grandTotal = 120;
  const totals = await refusal(send(client, body, "TS-2"));
  assert.equal(await explain(totals), "the lines add up to 121");
  const unknown = await refusal(lookUp(connect(URL, "sk_test_unknown"), RECEIVER));
  assert.match(await explain(unknown), /^invalid-api-key: /);
}

async function list(client: Configuration, sent: string): Promise<void> {
  const page = await new InvoicesApi(client).listInvoices({ number: "TS-1", limit: 10 });
  assert.deepEqual(page.items.map((item) => item.invoiceId), [sent]);
  assert.equal(page.hasMore, false);
}

async function artefact(client: Configuration, invoiceId: string): Promise<void> {
  const invoices = new InvoicesApi(client);
  const { items } = await invoices.listArtefacts({ invoiceId });
  const receipt = items.find((item) => item.type === "RECEIPT");
  assert(receipt);
  const content = await invoices.downloadArtefact({ invoiceId, artefactId: receipt.artefactId });
  const hash = createHash("sha256").update(Buffer.from(await content.arrayBuffer()));
  assert.equal(hash.digest("hex"), receipt.sha256);
}

async function customer(session: Configuration): Promise<void> {
  const customers = new CustomersApi(session);
  const newCustomer = { name: "Buyer BV", taxId: "BE0403019261" };
  const { customerId } = await customers.createCustomer({ newCustomer });
  const customerChanges = { email: "ap@example.com" };
  const changed = await customers.updateCustomer({ customerId, customerChanges });
  const read = await customers.getCustomer({ customerId });
  assert.deepEqual([read.name, read.email, read.address ?? null], ["Buyer BV", changed.email, null]);
  const page = await customers.listCustomers();
  assert(page.items.some((item) => item.customerId === customerId));
  await customers.deleteCustomer({ customerId });
  assert.match(await explain(await refusal(customers.getCustomer({ customerId }))), /^not-found: /);
}

// An OAuth client sends and follows an invoice as a key does.
async function withToken(number: string): Promise<void> {
  const client = await connectWithToken(URL, variable("CLIENT_ID"), variable("CLIENT_SECRET"));
  const sent = await send(client, invoice(number, RECEIVER, await lookUp(client, RECEIVER)), number);
  const delivered = await wait(client, sent);
  assert.equal(delivered.networkStatus, "Delivered");
  await artefact(client, delivered.invoiceId);
}

// A verified event names the invoice; a forged request is refused.
async function webhook(client: Configuration): Promise<void> {
  let deliver: (event: Notice) => void;
  const arrived = new Promise<Notice>((resolve) => (deliver = resolve));
  const receiver = new Receiver((event) => deliver(event));
  const url = await receiver.listen();
  const webhooks = new WebhooksApi(client);
  const made = await webhooks.createWebhook({ newWebhook: { url } });
  // They are null only in the answer to a repetition.
  const secret = made.secret!;
  receiver.secret = secret;
  receiver.signingSecret = made.signingSecret!;
  const sent = await send(client, invoice("TS-5", RECEIVER, await lookUp(client, RECEIVER)), "TS-5");
  const event = (await arrived) as TransactionSentEvent;
  assert.equal(event.eventType, "transaction.sent");
  assert.deepEqual([event.invoiceId, event.transactionId], [sent.invoiceId, sent.transactionId]);
  const headers = { "X-Webhook-Secret": secret, "webhook-timestamp": "1" };
  const forged = await fetch(url, { method: "POST", body: "{}", headers });
  assert.equal(forged.status, 401);
  await webhooks.deleteWebhook({ webhookId: made.webhookId });
  receiver.close();
}

// The amount of the first bill of a customer, as its platform sees it.
async function billOf(platform: Configuration, xTenant: string): Promise<number | undefined> {
  for (let second = 0; second < 60; second++) {
    const page = await new InvoicesApi(platform).listInvoices({ direction: "received", xTenant });
    if (page.items.length > 0) return page.items[0].grandTotal ?? undefined;
    await pause(1);
  }
  throw new Error("The customer has no bill.");
}

// A platform brings a customer onto the network: tenant, identification, participant id and key;
// then a first invoice and a first bill. A second run changes nothing.
async function onboarding(platform: Configuration): Promise<void> {
  const [tenant, participantId] = ["ts-customer", "9915:ts-customer"];
  const platforms = new PlatformsApi(platform);
  const newIdentification = {
    method: "register-extract",
    numbers: ["BE0403019261"],
    identifiedAt: "2026-11-20",
    identifiedBy: "ERP",
  };
  const found: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const newPlatformTenant = { externalId: tenant, name: "Brewery" };
    const made = await platforms.createPlatformTenant({ newPlatformTenant });
    const said = await platforms.addTenantIdentification({ tenant, newIdentification });
    const claimed = await platforms.claimTenantParticipant({ tenant, newClaim: { participantId } });
    found.push([made.tenantId, said.identificationId, claimed.status]);
  }
  assert.deepEqual(found[0], found[1]);
  assert.equal(found[0][2], "verified");
  const { key } = await new KeysApi(platform).createKey({
    newApiKey: { name: "ERP of the customer", environment: "test" },
    xTenant: tenant,
    idempotencyKey: `key-${tenant}`,
  });
  assert(key);
  const own = connect(URL, key);
  const body = invoice("TS-6", BILLER, await lookUp(own, BILLER));
  body.routing.senderParticipantId = participantId;
  const delivered = await wait(own, await send(own, body, "TS-6"));
  assert.equal(delivered.networkStatus, "Delivered");
  assert.equal(await billOf(platform, tenant), 100); // what the simulator bills
  const refused = await refusal(new InvoicesApi(platform).listInvoices({ xTenant: "nobody" }));
  assert.match(await explain(refused), /^not-found: /);
}

async function main(): Promise<void> {
  const client = connect(URL, variable("KEY"));
  const session = new Configuration({ basePath: URL, accessToken: variable("SESSION") });
  const sent = await firstSend(client);
  console.log("first send");
  await retry(client, sent);
  console.log("retry");
  await refusals(client);
  console.log("refusals");
  await list(client, sent);
  console.log("list");
  await artefact(client, sent);
  console.log("artefact");
  await customer(session);
  console.log("customer");
  await withToken("TS-4");
  console.log("OAuth");
  await webhook(client);
  console.log("webhook");
  await onboarding(connect(URL, variable("PLATFORM_KEY")));
  console.log("onboarding");
}

await main();
