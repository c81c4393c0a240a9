// Receive webhooks: verify the signature, read the payload with the generated models.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import {
  type Event,
  EventFromJSON,
  type TransactionFailedEvent,
  TransactionFailedEventFromJSON,
  type TransactionReceivedEvent,
  TransactionReceivedEventFromJSON,
  type TransactionSentEvent,
  TransactionSentEventFromJSON,
} from "./einvoice-client/index.js";

export type Notice =
  | TransactionSentEvent
  | TransactionFailedEvent
  | TransactionReceivedEvent
  | Event;

const same = (one: string, other: string) => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const text = (header: string | string[] | undefined) => String(header ?? "");

// Throw unless the request is authentic and fresh. `body`: as it was received.
export function verify(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
  signingSecret: string,
): void {
  if (!same(text(headers["x-webhook-secret"]), secret)) throw new Error("X-Webhook-Secret");
  const sentAt = text(headers["webhook-timestamp"]);
  if (!/^\d+$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > 300) {
    throw new Error("webhook-timestamp");
  }
  const key = Buffer.from(signingSecret.replace(/^whsec_/, ""), "base64");
  const signed = Buffer.concat([Buffer.from(`${text(headers["webhook-id"])}.${sentAt}.`), body]);
  const expected = "v1," + createHmac("sha256", key).update(signed).digest("base64");
  const given = text(headers["webhook-signature"]).split(" ");
  if (!given.some((one) => same(one, expected))) throw new Error("webhook-signature");
}

// The event with the members of its type; of any other type the common members.
export function read(body: Buffer): Notice {
  const members = JSON.parse(body.toString());
  switch (members.eventType) {
    case "transaction.sent":
      return TransactionSentEventFromJSON(members);
    case "transaction.failed":
      return TransactionFailedEventFromJSON(members);
    case "transaction.received":
      return TransactionReceivedEventFromJSON(members);
    default:
      return EventFromJSON(members);
  }
}

// A server for webhooks, at a free port of this machine. `received` is called with each verified one.
export class Receiver {
  secret = "";
  signingSecret = "";
  private readonly server: Server;

  constructor(received: (event: Notice) => void) {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = Buffer.concat(parts);
        try {
          verify(request.headers, body, this.secret, this.signingSecret);
        } catch {
          response.writeHead(401).end();
          return;
        }
        received(read(body));
        response.writeHead(200).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
