// Refusals of the service as errors, each with its slug, its fields and what to do.

import { ACTIONS } from "./generated/actions.js";

const SHOWN = 200;

/** Every error of a request. */
export class EinvoiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The connection broke, or the time of the request ended, also after the repetitions. */
export class NoAnswer extends EinvoiceError {}

/** An answer that is not the service's, such as the page of a proxy or firewall. */
export class UnexpectedAnswer extends EinvoiceError {
  constructor(
    readonly status: number,
    contentType: string,
    /** The beginning of its body. */
    readonly excerpt: string,
  ) {
    super(
      `The answer has status ${status} and is not the service's (${contentType || "no type"}): ` +
        `${JSON.stringify(excerpt)}. Check the address of the service and what is between you and it.`,
    );
  }
}

type Members = Readonly<Record<string, unknown>>;

/** A refusal of the service (RFC 7807). */
export class Problem extends EinvoiceError {
  /** What it is, the last part of `type`; it never changes. */
  readonly slug: string;
  /** What is wrong with this request, for people. */
  readonly detail: string;
  /** What to do about it; empty for a slug that is newer than this client. */
  readonly whatToDo: string;
  /** JSON pointers of the fields at fault. */
  readonly fields: readonly string[];
  /** For the support of the service. */
  readonly requestId: string | undefined;

  constructor(
    readonly status: number,
    /** The whole document. */
    readonly members: Members,
    /** Seconds after which to repeat the request, if the service said so. */
    readonly retryAfter: number | undefined,
  ) {
    const slug = slugOf(members);
    const detail = text(members["detail"]) ?? text(members["title"]) ?? "";
    super(`${slug || status}: ${detail}`);
    this.slug = slug;
    this.detail = detail;
    this.whatToDo = Object.hasOwn(ACTIONS, slug) ? (ACTIONS[slug] ?? "") : "";
    this.fields = fieldsOf(members);
    this.requestId = text(members["requestId"]);
  }
}

/** The key or token is missing, unknown or expired (401). */
export class NotAuthenticated extends Problem {}

/** The key or plan does not allow it (402, 403). */
export class NotAllowed extends Problem {}

/** No such resource in the environment of the key (404, 410). */
export class NotFound extends Problem {}

/** The state of the resource does not allow it (409, 412). */
export class Conflict extends Problem {}

/** The request is wrong, and stays wrong until it is corrected (any other 4xx). */
export class InvalidRequest extends Problem {}

/** The invoice was valid, and the network rejected it while the request waited. */
export class NetworkFailed extends InvalidRequest {
  /** Whether the same invoice may succeed later. */
  get retryable(): boolean {
    return this.members["retryable"] === true;
  }
}

/** The budget of the key or plan is used up (429), and its pause is too long to wait for. */
export class RateLimited extends Problem {}

/** The service or a network cannot answer now (5xx). */
export class Unavailable extends Problem {}

const KINDS: Readonly<Record<number, typeof Problem>> = {
  401: NotAuthenticated,
  402: NotAllowed,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  429: RateLimited,
};

/** The error of an answer that is no success. */
export function errorOf(answer: Response, body: Uint8Array): EinvoiceError {
  const { status } = answer;
  const members = documentOf(body);
  if (members === undefined) return unexpected(answer, body);
  const known = slugOf(members) === "network-failed" ? NetworkFailed : KINDS[status];
  const kind = known ?? (status >= 500 ? Unavailable : InvalidRequest);
  return new kind(status, members, secondsToWait(answer));
}

export function unexpected(answer: Response, body: Uint8Array): UnexpectedAnswer {
  const excerpt = new TextDecoder().decode(body.subarray(0, SHOWN));
  return new UnexpectedAnswer(answer.status, answer.headers.get("content-type") ?? "", excerpt);
}

/** The problem document; undefined if the answer has none (a proxy's page, OAuth's own errors). */
function documentOf(body: Uint8Array): Members | undefined {
  try {
    const members: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(members) && typeof members["type"] === "string" ? members : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After in seconds; undefined if it is missing or no number. */
function secondsToWait(answer: Response): number | undefined {
  const given = answer.headers.get("retry-after")?.trim() ?? "";
  return /^[0-9]{1,9}$/.test(given) ? Number(given) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function slugOf(members: Members): string {
  return (text(members["type"]) ?? "").replace(/\/$/, "").split("/").at(-1) ?? "";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fieldsOf(members: Members): string[] {
  const { errors, field } = members;
  const each = Array.isArray(errors) ? errors.filter(isObject) : [];
  const pointers = each.map(({ pointer }) => text(pointer)).filter((found) => found !== undefined);
  if (pointers.length > 0) return pointers;
  return typeof field === "string" ? [field] : [];
}
