// Signatures of webhooks (Standard Webhooks), verified and made.

import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "./problems.js";

const TOLERANCE_SECONDS = 300;

/** The request is not the service's, or older than the tolerance; answer it with 401. */
export class NotAuthentic extends Error {
  override readonly name = "NotAuthentic";
}

/** The headers of a request, as Node.js or as `fetch` has them; names in any case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** whk_…, compared with X-Webhook-Secret if given. */
  readonly secret?: string;
  /** Seconds that the clocks may differ; 300 by default. */
  readonly tolerance?: number;
  /** The Unix time; the clock of this machine by default. */
  readonly now?: number;
}

export interface WebhookEvent {
  readonly eventType: string;
  readonly eventId: string;
  readonly [member: string]: unknown;
}

/**
 * The event of an authentic and fresh request; NotAuthentic otherwise.
 *
 * @param headers of the request
 * @param body as it was received, before parsing
 * @param signingSecret whsec_…
 */
export function verify(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  signingSecret: string,
  { secret, tolerance = TOLERANCE_SECONDS, now = Date.now() / 1000 }: VerifyOptions = {},
): WebhookEvent {
  const given = headerReader(headers);
  if (secret !== undefined && !same(given("x-webhook-secret"), secret)) {
    throw new NotAuthentic("X-Webhook-Secret is not the secret of this endpoint");
  }
  const stamp = given("webhook-timestamp");
  if (!/^[0-9]{1,15}$/.test(stamp)) {
    throw new NotAuthentic("webhook-timestamp is missing or not a Unix time");
  }
  if (Math.abs(Math.trunc(now) - Number(stamp)) > tolerance) {
    throw new NotAuthentic(`webhook-timestamp is more than ${tolerance} seconds off`);
  }
  const expected = signature(body, given("webhook-id"), stamp, signingSecret);
  if (!given("webhook-signature").split(" ").some((each) => same(each, expected))) {
    throw new NotAuthentic("webhook-signature does not match the body");
  }
  return eventOf(body);
}

export interface SignedHeaders extends Record<string, string> {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/** The headers by which the service signs a body at a Unix time. */
export function sign(
  body: Uint8Array | string,
  eventId: string,
  signingSecret: string,
  at: number,
): SignedHeaders {
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(at),
    "webhook-signature": signature(body, eventId, String(at), signingSecret),
  };
}

function eventOf(body: Uint8Array | string): WebhookEvent {
  const event: unknown = JSON.parse(Buffer.from(body).toString());
  if (!isObject(event)) throw new NotAuthentic("the body is no event");
  return event as WebhookEvent & Record<string, unknown>;
}

function signature(
  body: Uint8Array | string,
  eventId: string,
  stamp: string,
  signingSecret: string,
): string {
  const encoded = signingSecret.replace(/^whsec_/, "");
  if (encoded === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
    throw new TypeError("the signing secret is not of the form whsec_<base64>");
  }
  const made = createHmac("sha256", Buffer.from(encoded, "base64"));
  made.update(`${eventId}.${stamp}.`).update(body);
  return `v1,${made.digest("base64")}`;
}

function headerReader(headers: WebhookHeaders): (name: string) => string {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const found = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = found.get(name);
    return typeof value === "string" ? value : "";
  };
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
