/**
 * Frames that nearly answer an access: one bit of what makes it the answer is another, or its data have another length.
 * None of them is the access's answer, each is told as a stray, and the right one behind them is taken.
 */
import { describe, expect, test } from "vitest";
import {
  accessBody,
  clioHeader,
  dissect,
  type Dissected,
  frameOffsets,
  opcode,
  replyCode,
  replyFrame,
  status,
} from "../../../../designs/clio/wire/index.ts";
import { concat, encode } from "../../../../designs/shared/wire/index.ts";
import { ClioRequester } from "../../../../designs/wickit/rtl/index.ts";
import { type Bench, type Dut, EthernetMac, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const client = { mac: 0x02_00_00_00_00_11n, ip: 0x0a00_0011, port: 4711 },
  node = { mac: 0x02_00_00_00_00_22n, ip: 0x0a00_0022, port: 51_000 },
  contexts = 4;
type Ports = ReturnType<typeof ClioRequester>["ports"];

const bytesFrom = (at: number, count: number): number[] => Array.from({ length: count }, (_, i) => at + i),
  clioAt = (name: "tag" | "opcode" | "requestId"): number => frameOffsets.clio + clioHeader.at[name].byteOffset;
/** Bytes that say whose answer a frame is: type, IPv4's version and length, protocol, addresses, ports, Clio's own. */
const told = [
  ...[12, 13, 14, 23],
  ...bytesFrom(26, 8),
  ...bytesFrom(34, 4),
  ...[clioAt("tag"), clioAt("opcode")],
  ...bytesFrom(clioAt("requestId"), 4),
];

const kinds = [
  ["load", opcode.READ, (n: number) => n],
  ["store", opcode.WRITE, () => 0],
  ["tas", opcode.ATOMIC_TAS, () => 1],
  ["cas", opcode.ATOMIC_CAS, () => 1],
  ["faa", opcode.ATOMIC_FAA, () => 1],
  ["put", opcode.ATOMIC_STORE, () => 0],
] as const;
const sends = {
  load: () => 0,
  store: (n: number) => n,
  tas: () => 0,
  cas: () => 2,
  faa: () => 1,
  put: () => 1,
} as const;

async function strangers(b: Bench<Ports>, accesses: number): Promise<void> {
  const { io, sim, random: r } = b,
    mac = new EthernetMac(sim, io.rx, io.tx),
    ask = new StreamSource(sim, io.memory),
    data = new StreamSource(sim, io.memoryData),
    answers = new StreamSink(sim, io.memoryReply),
    words = new StreamSink(sim, io.memoryReplyData);
  for (const [signal, value] of [
    [io.config.mac, client.mac],
    [io.config.ip, client.ip],
    [io.config.port, client.port],
    [io.config.nodeMac, node.mac],
    [io.config.nodeIp, node.ip],
    [io.config.nodePort, node.port],
    [io.config.pid, 7],
    [io.config.firstId, 5],
    [io.config.timeout, 100_000],
    [io.config.tries, 3],
    [io.config.on, 1],
  ] as const)
    signal.value = value;
  const seen = { sent: 0, repeated: 0, stray: 0, expired: 0 };
  b.onEdge({
    sample: () => {
      for (const name of ["sent", "repeated", "stray", "expired"] as const) seen[name] += io.events[name].value;
    },
  });
  const next = async (): Promise<Required<Dissected>> => dissect((await mac.recv()).bytes) as Required<Dissected>,
    reply = (q: Required<Dissected>, code: number, state: number, ...body: Uint8Array[]): Uint8Array =>
      replyFrame(node, { ...q, native: true }, code, state, ...body);
  const greeting = await next();
  expect(greeting.clio.opcode).toBe(opcode.FENCE);
  mac.send(reply(greeting, opcode.FENCE, status.OK));
  await b.until(() => io.greeted.value !== 0);
  let strays = 0;
  for (let i = 0; i < accesses; i++) {
    const [kind, code, brings] = kinds[i % kinds.length] as (typeof kinds)[number],
      count = kind === "load" || kind === "store" ? r.between(1, 8) : 1,
      context = r.below(contexts),
      va = r.bits(45) << 3n;
    ask.send({ context, tag: 0, kind, va, words: count });
    for (let w = sends[kind](count); w > 0; w--) data.send(r.bits(64));
    const q = await next(),
      length = 8 * brings(count),
      bytes = r.bytes(length),
      answersWith = brings(1) === 0 ? replyCode(opcode.WRITE) : replyCode(opcode.READ),
      of = (d: Uint8Array, state: number = status.OK): Uint8Array =>
        reply(q, answersWith, state, concat(encode(accessBody, { va, length: d.length }), d)),
      right = of(bytes);
    expect([q.clio.opcode, q.clio.tag]).toEqual([code, context]);
    const wrong: Uint8Array[] = [];
    for (const at of told)
      if (r.chance(0.5)) {
        const frame = right.slice();
        frame[at] = (frame[at] as number) ^ (1 << r.below(8));
        wrong.push(frame);
      }
    // Words more and less; 16 and 32 words more have the same count in the low bits. Parts of a word.
    for (const more of [8, -8, 64, 128, 256, 4, -4, 1])
      if (length + more >= 0) wrong.push(of(concat(bytes, r.bytes(300)).slice(0, length + more)));
    for (const frame of wrong) mac.send(frame);
    mac.send(right, { damaged: true });
    await mac.drained();
    await b.cycles(60);
    strays += wrong.length + 1;
    expect([answers.received.length, words.received.length], `${kind}: an answer that is none`).toEqual([0, 0]);
    expect(seen.stray, `${kind}: strays`).toBe(strays);
    // Refused as it is, or done.
    const refused = r.chance(0.2);
    mac.send(refused ? of(new Uint8Array(), status.INVALID) : right);
    await b.until(() => answers.received.length > 0);
    await b.cycles(20);
    expect(answers.received.splice(0).map(a => a.value)).toMatchObject([
      refused ? { context, status: status.INVALID, words: 0 } : { context, status: status.OK, words: length / 8 },
    ]);
    expect(words.received.splice(0).map(w => w.value)).toEqual(
      refused ? [] : Array.from({ length: length / 8 }, (_, w) => Buffer.from(bytes).readBigUInt64LE(8 * w)),
    );
    // The same again is nobody's.
    mac.send(right);
    strays++;
  }
  await mac.drained();
  await b.cycles(60);
  expect(seen).toEqual({ sent: accesses, repeated: 0, stray: strays, expired: 0 });
}
const duts = [64, 16, 8].map(beatBytes => ClioRequester({ beatBytes, contexts }));
const run = (design: Dut<Ports>, accesses = 24): Promise<void> =>
  runBench("strangers", design, { wave: false, seed: 1, hangCycles: 4000, limitCycles: 400_000 }, b =>
    strangers(b, accesses),
  );

describe("ClioRequester: frames that nearly answer", () => {
  test.each(duts.map(dut => [dut.name, dut] as const))("%s", (_, dut) => run(dut));
  const [wide] = duts as [Dut<Ports>];
  test.each<readonly [string, RegExp, string]>([
    ["data of more words than an answer can have", /\(receiver_reply_header_head_payload_length <= 14'd64\)/, "1'b1"],
    ["parts of a word", /\(receiver_reply_header_head_payload_length\[2:0\] == 3'd0\)/, "1'b1"],
    ["another port of the node", /== config_node_port\)/, "!= 16'd0)"],
  ])("a planted fault: %s", (_, from, to) => findsFault(run(plant(wide, from, to))));
});
