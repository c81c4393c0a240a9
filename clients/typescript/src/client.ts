// The client: a send in two lines, and every operation of the contract with the same care.

import { randomUUID } from "node:crypto";
import createClient, { type Client as Operations } from "openapi-fetch";
import type { paths } from "./generated/contract.js";
import { UnexpectedAnswer, isObject } from "./problems.js";
import { retrying, sleepFor } from "./transport.js";
import type {
  BatchResult,
  Content,
  Event,
  EventFilters,
  Invoice,
  InvoiceFilters,
  InvoiceSummary,
  LookupResult,
  SendRequest,
  SendResult,
} from "./types.js";

// A send waits for the network for 25 seconds at most.
const TIMEOUT_SECONDS = 40;
const BATCH_SIZE = 500;

export interface ClientOptions {
  /** The tenant for which a platform acts. */
  readonly tenant?: string;
  /** Seconds for the beginning of an answer, and for each pause of it. */
  readonly timeout?: number;
  readonly fetch?: typeof fetch;
  readonly sleep?: (seconds: number) => Promise<void>;
}

export interface SendOptions {
  /**
   * One that you store with the invoice, so that a repetition by another run of your program is
   * recognised too; a new one for each call by default.
   */
  readonly idempotencyKey?: string;
  /** Seconds to wait for the network, at most 25; 0 for none. */
  readonly wait?: number;
}

interface Page<Item> {
  readonly items: Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** A connection with a key. */
export class Client {
  /** Every operation of the contract, typed: `client.api.GET("/v1/compliance/countries")`. */
  readonly api: Operations<paths>;
  readonly #sleep: (seconds: number) => Promise<void>;

  /**
   * @param url the address of the service, such as https://einvoice.example
   * @param key an API key, a key of a platform, or an access token
   */
  constructor(url: string, key: string, options: ClientOptions = {}) {
    if (!/^https?:\/\//.test(url)) {
      throw new TypeError(`${JSON.stringify(url)} is not the address of a service: https://…`);
    }
    if (!/^[!-~]+$/.test(key)) {
      throw new TypeError("the key is empty, or has characters that no key has");
    }
    const { tenant, timeout = TIMEOUT_SECONDS, fetch, sleep } = options;
    this.#sleep = sleep ?? sleepFor;
    this.api = createClient<paths>({
      baseUrl: url.replace(/\/+$/, ""),
      headers: {
        Accept: "*/*",
        "User-Agent": "einvoice-client-typescript/0.1",
        ...credential(key),
        ...(tenant === undefined ? {} : { "X-Tenant": tenant }),
      },
      fetch: retrying({ timeout, fetch, sleep }),
    });
  }

  /** Whether a participant is registered, and the reference for sends to it. */
  async lookUp(participantId: string, network?: string): Promise<LookupResult> {
    const query = network === undefined ? { participantId } : { participantId, network };
    return answered(await this.api.GET("/api/participants/lookup", { params: { query } }));
  }

  /** Send an invoice, once however often the request is repeated. */
  async send(body: SendRequest, options: SendOptions = {}): Promise<SendResult> {
    const { idempotencyKey = randomUUID(), wait } = options;
    const header = { "Idempotency-Key": idempotencyKey, ...preference(wait) };
    return answered(await this.api.POST("/api/invoices/send", { params: { header }, body }));
  }

  /** What a send would answer; nothing is stored or sent. */
  async check(body: SendRequest): Promise<SendResult> {
    return this.send({ ...body, options: { ...body.options, dryRun: true } });
  }

  /**
   * Send any number of invoices, in batches; one result for each, in their order.
   *
   * @param bodies pairs of an idempotency key and a send
   * @param size the sends of a request, at most 500
   */
  async *sendBatch(
    bodies: Iterable<readonly [string, SendRequest]> | AsyncIterable<readonly [string, SendRequest]>,
    size = BATCH_SIZE,
  ): AsyncGenerator<BatchResult, void, void> {
    if (!Number.isInteger(size) || size < 1 || size > BATCH_SIZE) {
      throw new RangeError(`a batch has 1 to ${BATCH_SIZE} sends, not ${size}`);
    }
    for await (const chunk of chunks(bodies, size)) {
      const invoices = chunk.map(([idempotencyKey, body]) => ({ ...body, idempotencyKey }));
      const sent = await this.api.POST("/api/invoices/batch", { body: { invoices } });
      yield* answered(sent).results;
    }
  }

  /** An invoice with its status and history. */
  async invoice(invoiceId: string): Promise<Invoice> {
    const params = { path: { invoiceId: segment(invoiceId) } };
    return answered(await this.api.GET("/api/invoices/{invoiceId}", { params }));
  }

  /** A sent or received document as data: the JSON of a send. */
  async content(invoiceId: string): Promise<Content> {
    const params = { path: { invoiceId: segment(invoiceId) } };
    return answered(await this.api.GET("/api/invoices/{invoiceId}/content", { params }));
  }

  /** The invoice, once it is no longer Processing; an Error after so many seconds. */
  async wait(invoiceId: string, { seconds = 60, interval = 1 } = {}): Promise<Invoice> {
    const until = performance.now() + seconds * 1000;
    for (;;) {
      const found = await this.invoice(invoiceId);
      if (found.networkStatus !== "Processing") return found;
      if (performance.now() + interval * 1000 > until) {
        throw new Error(`${invoiceId} is still Processing after ${seconds} seconds`);
      }
      await this.#sleep(interval);
    }
  }

  /** All invoices that match, page by page. */
  invoices(filters: InvoiceFilters = {}): AsyncGenerator<InvoiceSummary, void, void> {
    return items(async (cursor) =>
      answered(
        await this.api.GET("/api/invoices", { params: { query: { ...filters, ...cursor } } }),
      ),
    );
  }

  /** All received invoices that match. */
  bills(filters: Omit<InvoiceFilters, "direction"> = {}): AsyncGenerator<InvoiceSummary, void, void> {
    return this.invoices({ ...filters, direction: "received" });
  }

  /** The events of the last 30 days that match, oldest first. */
  events(filters: EventFilters = {}): AsyncGenerator<Event, void, void> {
    return items(async (cursor) =>
      answered(await this.api.GET("/api/events", { params: { query: { ...filters, ...cursor } } })),
    );
  }
}

/** The items of a list, over all its pages. */
async function* items<Item>(
  load: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, void> {
  for (let cursor: { cursor?: string } = {}; ; ) {
    const page = await load(cursor);
    yield* page.items;
    if (!page.hasMore || page.nextCursor === null) return;
    if (page.nextCursor === cursor.cursor) {
      throw new UnexpectedAnswer(200, "application/json", "a page that names itself as next");
    }
    cursor = { cursor: page.nextCursor };
  }
}

async function* chunks<Item>(
  all: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[], void, void> {
  let chunk: Item[] = [];
  for await (const each of all) {
    chunk.push(each);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

function answered<Data>({ data, response }: { data?: Data; response: Response }): Data {
  if (!isObject(data)) {
    const kind = response.headers.get("content-type") ?? "";
    throw new UnexpectedAnswer(response.status, kind, String(data).slice(0, 200));
  }
  return data as Data;
}

function preference(wait: number | undefined): { Prefer?: string } {
  if (wait === undefined) return {};
  return { Prefer: wait === 0 ? "respond-async" : `wait=${wait}` };
}

function credential(key: string): Record<string, string> {
  return /^[sp]k_/.test(key) ? { "x-api-key": key } : { Authorization: `Bearer ${key}` };
}

/** One segment of a path: an id of other characters names nothing, and leads nowhere else. */
function segment(identifier: string): string {
  return identifier.replaceAll(".", "%2E");
}
