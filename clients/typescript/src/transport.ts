// Requests that are repeated where that is safe, and answers that are problems thrown.
//
// What is repeated is the table of docs/clients.md#what-is-repeated. A POST that takes an
// Idempotency-Key has one: its own for each call, the same over all its repetitions.

import { randomUUID } from "node:crypto";
import { ONCE } from "./generated/once.js";
import {
  type EinvoiceError,
  NoAnswer,
  Problem,
  UnexpectedAnswer,
  errorOf,
  unexpected,
} from "./problems.js";

const KEY = "Idempotency-Key";
const ATTEMPTS = 5;
// A plan that is used up asks for a pause of the rest of the month: it is thrown instead.
const MAX_PAUSE_SECONDS = 60;
// The slowest line on which the service reads a body.
const SLOWEST_BYTES_A_SECOND = 32 * 1024;
// The types of pages by which proxies and portals answer, unless a request asks for one.
const FOREIGN = new Set(["text/html", "text/plain", ""]);
const READING = new Set(["GET", "HEAD"]);
const PATTERNS = ONCE.map(([method, path]) => [method, new RegExp(`${path}$`)] as const);

export interface TransportOptions {
  /** Makes one request; the `fetch` of the platform by default. */
  readonly fetch?: typeof fetch | undefined;
  /** Seconds for the beginning of an answer, and for each pause of it. */
  readonly timeout: number;
  /** Waits for seconds. */
  readonly sleep?: ((seconds: number) => Promise<void>) | undefined;
}

export const sleepFor = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** A fetch that returns the answers of success; EinvoiceError otherwise. */
export function retrying(options: TransportOptions): (request: Request) => Promise<Response> {
  const sleep = options.sleep ?? sleepFor;
  return async (request) => {
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const headers = new Headers(request.headers);
    if (!headers.has(KEY) && takesKey(request)) headers.set(KEY, randomUUID());
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(options, request, headers, body);
      if (outcome instanceof Response) return outcome;
      const pause = pauseBeforeRepetition(request, headers, outcome, attempt);
      if (attempt === ATTEMPTS || pause === undefined || pause > MAX_PAUSE_SECONDS) throw outcome;
      await sleep(pause);
    }
  };
}

async function once(
  { fetch: fetching = fetch, timeout }: TransportOptions,
  { method, url }: Request,
  headers: Headers,
  body: Uint8Array | undefined,
): Promise<Response | EinvoiceError> {
  const clock = new Clock(timeout);
  try {
    clock.restart((body?.length ?? 0) / SLOWEST_BYTES_A_SECOND);
    const { signal } = clock;
    const init = body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> };
    const answer = await fetching(url, { method, headers, signal, redirect: "manual", ...init });
    return understood(answer, await read(answer, clock), headers);
  } catch (error) {
    return new NoAnswer(`${method} ${new URL(url).pathname}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clock.stop();
  }
}

/** The answer with its body read, or the error that it is. */
function understood(answer: Response, body: Uint8Array, headers: Headers): Response | EinvoiceError {
  if (!answer.ok) return errorOf(answer, body);
  if (answer.status === 204) return new Response(null, { status: 204, headers: answer.headers });
  const kind = answer.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
  const isForeign = FOREIGN.has(kind) && !headers.get("accept")?.includes(kind);
  if (isForeign || (kind === "application/json" && !isJson(body))) return unexpected(answer, body);
  const content = body as Uint8Array<ArrayBuffer>;
  return new Response(content, { status: answer.status, headers: answer.headers });
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}

/** Ends a request whose answer pauses for too long. */
class Clock {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly seconds: number) {}

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(more = 0): void {
    this.stop();
    const late = () => this.#controller.abort(new Error(`no answer in ${this.seconds} seconds`));
    this.#timer = setTimeout(late, (this.seconds + more) * 1000);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

async function read(answer: Response, clock: Clock): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const reader = answer.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    chunks.push(part.value);
    clock.restart();
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Of a broken connection `fetch` says "fetch failed", and why in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function takesKey({ method, url }: Request): boolean {
  const path = new URL(url).pathname;
  return PATTERNS.some(([of, pattern]) => of === method && pattern.test(path));
}

/** Seconds to wait before the request is repeated; undefined if it is not. */
function pauseBeforeRepetition(
  { method }: Request,
  headers: Headers,
  outcome: EinvoiceError,
  attempt: number,
): number | undefined {
  const safe = READING.has(method) || headers.has(KEY);
  // 1, 2, 4 … seconds, each up to a quarter longer so that clients do not repeat together.
  const growing = 2 ** (attempt - 1) * (1 + Math.random() / 4);
  if (outcome instanceof Problem) {
    const asked = outcome.retryAfter ?? growing;
    if (outcome.status === 429 || outcome.slug === "idempotency-in-progress") return asked;
    if (outcome.slug === "archive-damaged") return undefined;
    return safe && outcome.status >= 500 ? asked : undefined;
  }
  const broken =
    outcome instanceof NoAnswer ||
    (outcome instanceof UnexpectedAnswer && [429, 502, 503, 504].includes(outcome.status));
  return safe && broken ? growing : undefined;
}
