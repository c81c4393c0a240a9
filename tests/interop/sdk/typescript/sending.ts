// Send an invoice with the generated client: first send, refusals, retries, OAuth.

import {
  Configuration,
  type DeclaredTotalsMismatchProblem,
  type InvalidFieldProblem,
  type InvoiceResponse,
  InvoicesApi,
  OAuthApi,
  ParticipantsApi,
  type Problem,
  ProblemFromJSON,
  ResponseError,
  type SendRequest,
  type SendResponse,
} from "./einvoice-client/index.js";

export const pause = (seconds: number) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// Each request ends after 30 seconds.
const timed: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(30_000) });

export function connect(url: string, key: string): Configuration {
  return new Configuration({ basePath: url, apiKey: key, fetchApi: timed });
}

export async function lookUp(client: Configuration, participantId: string): Promise<string> {
  const found = await new ParticipantsApi(client).lookupParticipant({ participantId });
  if (!found.accessPointRef) throw new Error(`${participantId} is not registered`);
  return found.accessPointRef;
}

export function invoice(number: string, receiver: string, reference: string): SendRequest {
  const address = { countryCode: "BE" };
  return {
    invoice: {
      number,
      issueDate: new Date("2026-11-21"),
      dueDate: new Date("2026-12-21"),
      currency: "EUR",
      buyerReference: "PO-1",
      supplier: { name: "Example NV", taxId: "BE0123456749", address },
      buyer: { name: "Sandbox Buyer", address },
      lineItems: [{ description: "Consulting", quantity: 2, unitPrice: 50.0, taxRate: 21.0 }],
      totals: { subtotal: 100.0, taxAmount: 21.0, grandTotal: 121.0 },
    },
    routing: {
      senderParticipantId: "0208:0123456749",
      receiverParticipantId: receiver,
      accessPointRef: reference,
    },
  };
}

export function send(client: Configuration, body: SendRequest, key: string): Promise<SendResponse> {
  return new InvoicesApi(client).sendInvoice({ sendRequest: body, idempotencyKey: key });
}

// The invoice, once it is Delivered or Failed.
export async function wait(
  client: Configuration,
  sent: SendResponse,
  seconds = 60,
): Promise<InvoiceResponse> {
  const invoiceId = sent.invoiceId!; // null only for a dry run
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    const found = await new InvoicesApi(client).getInvoice({ invoiceId });
    if (found.networkStatus !== "Processing") return found;
    await pause(0.5);
  }
  throw new Error(`${invoiceId} is still Processing`);
}

// The problem of a refused request, with the members of its type.
export async function problemOf(refused: ResponseError): Promise<Problem> {
  return ProblemFromJSON(await refused.response.clone().json());
}

// The last part of `type`, which never changes.
export const slug = (problem: Problem) => problem.type.slice(problem.type.lastIndexOf("/") + 1);

// What is wrong with a refused request.
export async function explain(refused: ResponseError): Promise<string> {
  const problem = await problemOf(refused);
  switch (slug(problem)) {
    case "invalid-field": {
      const { errors } = problem as InvalidFieldProblem;
      return errors.map(({ pointer, message }) => `${pointer}: ${message}`).join("; ");
    }
    case "declared-totals-mismatch": {
      const { computedGrandTotal } = problem as DeclaredTotalsMismatchProblem;
      return `the lines add up to ${computedGrandTotal}`;
    }
    default:
      return `${slug(problem)}: ${problem.detail}`;
  }
}

// Repeat what may be repeated: no answer, 409 idempotency-in-progress, 429 and 5xx.
export async function withRetries<T>(request: () => Promise<T>, attempts = 5): Promise<T> {
  for (let wait = 1, left = attempts - 1; left > 0; left -= 1, wait *= 2) {
    try {
      return await request();
    } catch (failure) {
      if (!(failure instanceof ResponseError)) {
        await pause(wait); // no answer
      } else if (await mayBeRepeated(failure)) {
        await pause(Number(failure.response.headers.get("Retry-After") ?? wait));
      } else {
        throw failure;
      }
    }
  }
  return request();
}

async function mayBeRepeated(refused: ResponseError): Promise<boolean> {
  const { status } = refused.response;
  if (status !== 409) return status === 429 || status >= 500;
  return slug(await problemOf(refused)) === "idempotency-in-progress";
}

// A client with an access token of one hour; request the next one a minute before its end.
export async function connectWithToken(
  url: string,
  clientId: string,
  clientSecret: string,
): Promise<Configuration> {
  const open = new Configuration({ basePath: url, fetchApi: timed });
  const grantType = "client_credentials";
  const answer = await new OAuthApi(open).issueToken({ grantType, clientId, clientSecret });
  return new Configuration({ basePath: url, accessToken: answer.accessToken, fetchApi: timed });
}
