import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { accessBody, createProcReplyBody, dissect, opcode } from "../../../../../designs/clio/wire/index.ts";
import { arpPacket, decode } from "../../../../../designs/shared/wire/index.ts";
import { publishedCapture } from "../../../../support/captures.ts";
import { played } from "./played.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../../../../${name}`, import.meta.url));
/** The client's own frames; its node and monitor had one MAC. The client itself sends to whatever MAC it likes. */
const args = [
  "--from",
  "10.77.0.1",
  "--set",
  "ip=10.77.0.2",
  "--set",
  "mac=02:00:00:00:00:02",
  "--set",
  "acceptAnyMac=true",
];
const capture = (name: string): string => path(`test/data/published-client-${name}.pcap`);
const setup = (name: string): string[] => ["--setup", path(`examples/published-client-${name}.setup.json`)];
const clientIp = 0x0a4d0001;
const sent = (frame: Uint8Array): boolean => {
  const { ipv4, arp } = dissect(frame);
  return (ipv4?.src ?? arp?.senderIp) === clientIp;
};
/** What its test saw: the frames from the node and from the monitor. */
const seen = (name: "kv" | "read-write" | "context"): Uint8Array[] =>
  publishedCapture(name)
    .map(f => f.bytes)
    .filter(f => !sent(f));

it("key-value store and ping: every reply is byte for byte what the client's own test saw", async () => {
  const run = await played(capture("kv"), args);
  expect(run.code, run.err).toBe(0);
  expect(run.replies.map(r => r.bytes)).toEqual(seen("kv"));
  // The client's kernel, which knows nothing of the raw socket, complains of each reply: nothing for the node.
  expect(run.rows.filter(r => r.outcome.startsWith("dropped: ICMP")).length).toBe(3);
  expect(run.stats["cycles"]).toBeGreaterThan(7e9);
});

it("writes and reads: each answered as its client waits for it, and read back as written", async () => {
  const run = await played(capture("read-write"), [...args, ...setup("read-write")]);
  expect(run.code, run.err).toBe(0);
  const requests = publishedCapture("read-write")
      .map(f => f.bytes)
      .filter(sent),
    stub = seen("read-write"),
    memory = new Map<bigint, number>();
  expect(run.replies.length).toBe(requests.length);
  let reads = 0,
    alike = 0;
  for (const [i, frame] of requests.entries()) {
    const request = dissect(frame),
      bytes = run.replies[i]?.bytes ?? new Uint8Array(),
      reply = dissect(bytes),
      { va, length } = decode(accessBody, request.body ?? frame);
    expect(reply.clio).toMatchObject({ status: 0, pid: 1, requestId: request.clio?.requestId });
    expect(reply.udp).toMatchObject({ srcPort: request.udp?.dstPort, dstPort: request.udp?.srcPort });
    if (request.clio?.opcode === opcode.WRITE) {
      request.body?.slice(accessBody.bytes).forEach((b, k) => memory.set(va + BigInt(k), b));
      expect(reply.clio).toMatchObject({ opcode: 0x51, size: 28 });
      expect(decode(accessBody, reply.body ?? bytes)).toEqual({ va, length });
    } else {
      reads++;
      expect(reply.clio).toMatchObject({ opcode: 0x41, size: 28 + length });
      expect(reply.body?.slice(accessBody.bytes)).toEqual(
        Uint8Array.from({ length }, (_, k) => memory.get(va + BigInt(k)) ?? 0),
      );
    }
    // From the IPv4 addresses on; the stub leaves other fields of the header to its kernel.
    if (stub.some(s => s.length === bytes.length && s.slice(26).every((b, k) => b === bytes[26 + k]))) alike++;
  }
  expect(reads).toBe(6);
  expect(alike).toBeGreaterThanOrEqual(6);
});

it("start-up at the monitor: joining, creating and freeing processes", async () => {
  const run = await played(capture("context"), [
    ...args.filter(a => !a.startsWith("mac=") && a !== "--set").flatMap(a => (a.includes("=") ? ["--set", a] : [a])),
    ...setup("context"),
  ]);
  expect(run.code, run.err).toBe(0);
  const [push, ...replies] = run.replies.map(r => r.bytes),
    expected = seen("context");
  // Before its reply to JOIN the monitor tells the client of the node.
  expect(dissect(push ?? new Uint8Array())).toMatchObject({
    ipv4: { dst: clientIp },
    udp: { dstPort: 10000 },
    clio: { opcode: opcode.NEW_NODE },
  });
  expect(replies.length).toBe(expected.length);
  for (const [i, want] of expected.entries()) {
    const got = replies[i] ?? new Uint8Array();
    if (dissect(want).arp) expect(got.slice(0, 14 + arpPacket.bytes)).toEqual(want.slice(0, 14 + arpPacket.bytes));
    else expect(got, `reply ${i}`).toEqual(want);
  }
  const pids = replies.flatMap(r => {
    const d = dissect(r);
    return d.clio?.opcode === 0x85 && d.body ? [decode(createProcReplyBody, d.body).newPid] : [];
  });
  expect(pids).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
});
