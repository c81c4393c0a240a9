// Client of the e-invoicing service einvoice; docs/clients.md shows its use.

export { Client, type ClientOptions, type SendOptions } from "./client.js";
export type { components, operations, paths } from "./generated/contract.js";
export {
  Conflict,
  EinvoiceError,
  InvalidRequest,
  NetworkFailed,
  NoAnswer,
  NotAllowed,
  NotAuthenticated,
  NotFound,
  Problem,
  RateLimited,
  Unavailable,
  UnexpectedAnswer,
} from "./problems.js";
export type { Event, Invoice, InvoiceSummary, SendRequest, SendResult } from "./types.js";
export { NotAuthentic, verify, type VerifyOptions, type WebhookHeaders } from "./webhooks.js";
