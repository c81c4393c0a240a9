// A connection to the service with faults before some requests, and a record of all.

import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** "cut" loses the answer after the service has worked, "down" the request, "half" its end. */
export type Fault = "cut" | "down" | "half" | Answer;

export class Line {
  faults: Fault[] = [];
  requests: { method: string; url: string; key: string | undefined; body: string }[] = [];
  readonly #server: Server;

  constructor(readonly origin: string) {
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const content = Buffer.concat(parts);
    const { method = "", url = "" } = request;
    const key = request.headers["idempotency-key"] as string | undefined;
    this.requests.push({ method, url, key, body: content.toString() });
    const fault = this.faults.shift();
    if (fault === "down") return void request.socket.destroy();
    if (typeof fault === "object") return void answer(response, fault);
    const headers = { ...request.headers } as Record<string, string>;
    for (const name of ["host", "connection", "content-length"]) delete headers[name];
    const init = content.length > 0 ? { body: content } : {};
    const found = await fetch(`${this.origin}${url}`, { method, headers, ...init });
    const text = await found.text();
    if (fault === "cut") return void request.socket.destroy();
    const kept = Object.fromEntries(found.headers);
    for (const name of ["content-encoding", "content-length", "connection"]) delete kept[name];
    if (fault !== "half") return void answer(response, { status: found.status, headers: kept, body: text });
    response.writeHead(found.status, { "content-type": "application/json", "content-length": "99999" });
    response.write(text, () => request.socket.destroy());
  }
}

function answer(response: ServerResponse, { status, headers, body = "" }: Answer): void {
  response.writeHead(status, headers);
  response.end(body);
}

export function problem(slug: string, status: number, headers: Record<string, string> = {}): Answer {
  const body = JSON.stringify({ type: `https://other.example/errors/${slug}`, detail: "no", status });
  return { status, headers: { "content-type": "application/problem+json", ...headers }, body };
}
