/** A capture for a device with Go-Back-N: what a client and a node send, at their times. */
import { gbnFrame, gbnTypes } from "../../../../../../designs/shared/go-back-n/wire/index.ts";
import { udpFrame } from "../../../../../../designs/shared/wire/index.ts";
import { clientEnd, closeFrame, nodeEnd, openFrame } from "../../../rtl/tasks/go-back-n/support/frames.ts";

const slot = 4,
  name = slot + 1024,
  session = 1,
  us = 1000n;
const client = clientEnd(0),
  node = nodeEnd(0),
  // The name under which the node knows the session: its first life.
  tag = 0x0247_0001_0000n + BigInt(session);
const body = (n: number, bytes: number): Uint8Array => new Uint8Array(bytes).map((_, i) => 16 * n + i);
const from = (type: number, sequence: number, payload?: Uint8Array): Uint8Array =>
    gbnFrame(client, node, { type, sequence, srcSlot: slot, dstSlot: session }, payload),
  request = (n: number): Uint8Array => from(gbnTypes.data, n, body(n, 20 + 60 * n)),
  reply = (n: number): Uint8Array =>
    udpFrame(node, { mac: tag, ip: client.ip, port: client.port }, body(n, 30 + 400 * n));

/** Session 1: a request is lost and comes again, one comes twice, an ACK of the client is late. */
export const capture: readonly { readonly timeNs: bigint; readonly bytes: Uint8Array; readonly what: string }[] = [
  { at: 0n, bytes: openFrame(client, node, slot, name), what: "opens a session" },
  { at: 10n, bytes: request(1), what: "the first request" },
  { at: 12n, bytes: reply(1), what: "its reply" },
  { at: 14n, bytes: from(gbnTypes.ack, 1), what: "an ACK" },
  { at: 16n, bytes: request(3), what: "one before it is missing" },
  { at: 18n, bytes: request(2), what: "it comes" },
  { at: 20n, bytes: request(3), what: "and the other one again" },
  { at: 22n, bytes: request(3), what: "which comes twice" },
  { at: 24n, bytes: reply(2), what: "a reply" },
  { at: 26n, bytes: reply(3), what: "another one" },
  // Longer than two rounds of the timer: both are sent again.
  { at: 126n, bytes: from(gbnTypes.nack, 2), what: "the last reply is missing" },
  { at: 130n, bytes: from(gbnTypes.ack, 3), what: "all has come" },
  { at: 140n, bytes: closeFrame(client, node, slot, session), what: "closes the session" },
].map(({ at, ...f }) => ({ timeNs: at * us, ...f }));
