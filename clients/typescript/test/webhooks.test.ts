// Webhooks are verified: signature, clock, rotation, and what an attacker would try.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NotAuthentic, verify } from "../src/index.js";
import { sign } from "../src/webhooks.js";

const SECRET = `whsec_${"QUJD".repeat(8)}`;
const OLDER = `whsec_${"REVG".repeat(8)}`;
const BODY = '{"eventType":"webhook.test","eventId":"evt_1"}';
const NOW = 1_795_147_506;
const OPTIONS = { secret: "whk_1", now: NOW };
const SIGNED = { ...sign(BODY, "evt_1", SECRET, NOW), "X-Webhook-Secret": "whk_1" };

test("a body is signed as the service does", () => {
  // Signed by the service's own code, of the same body, id, secret and time.
  const { EXPECTED_SIGNATURE } = process.env;
  if (EXPECTED_SIGNATURE) assert.equal(SIGNED["webhook-signature"], EXPECTED_SIGNATURE);
});

test("an authentic request is its event", () => {
  const rotated = sign(BODY, "evt_1", OLDER, NOW)["webhook-signature"];
  const both = { ...SIGNED, "webhook-signature": `${rotated} ${SIGNED["webhook-signature"]}` };
  for (const headers of [SIGNED, both, new Headers(SIGNED)]) {
    for (const body of [BODY, Buffer.from(BODY)]) {
      assert.equal(verify(headers, body, SECRET, OPTIONS).eventId, "evt_1");
    }
  }
});

test("the clock may be five minutes off", () => {
  for (const seconds of [-300, 300, 300.9]) {
    assert(verify(SIGNED, BODY, SECRET, { now: NOW + seconds }));
  }
  for (const seconds of [-301, 301]) {
    assert.throws(() => verify(SIGNED, BODY, SECRET, { now: NOW + seconds }), NotAuthentic);
  }
});

test("what was changed is refused", () => {
  const changes: Record<string, string>[] = [
    { "webhook-id": "evt_2" },
    { "webhook-signature": "" },
    { "webhook-signature": SIGNED["webhook-signature"].replace("v1,", "v2,") },
    { "webhook-signature": "v1,é" },
    { "webhook-timestamp": "" },
    { "webhook-timestamp": "١٧٩٥" },
    { "webhook-timestamp": "9".repeat(5000) },
    { "X-Webhook-Secret": "whk_2" },
  ];
  for (const change of changes) {
    assert.throws(() => verify({ ...SIGNED, ...change }, BODY, SECRET, OPTIONS), NotAuthentic);
  }
  assert.throws(() => verify(SIGNED, `${BODY} `, SECRET, OPTIONS), NotAuthentic);
  assert.throws(() => verify(SIGNED, BODY, OLDER, OPTIONS), NotAuthentic);
  assert.throws(() => verify(SIGNED, BODY, "whsec_", OPTIONS), TypeError);
});

test("a body of 100 KB is verified, whatever its letters", () => {
  const body = JSON.stringify({ eventType: "x", eventId: "evt_1", text: "é€😀".repeat(10_000) });
  const event = verify(sign(body, "evt_1", SECRET, NOW), Buffer.from(body), SECRET, { now: NOW });

  assert.equal((event["text"] as string).length, 40_000);
});
