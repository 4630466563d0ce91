/**
 * The watch over times beside the receiver: a reply comes in each cycle around the one in which its time is over, and
 * another context's beside it. Each access is answered once: by its reply, or with EXPIRED.
 */
import { describe, expect, test } from "vitest";
import {
  accessBody,
  dissect,
  type Dissected,
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
  timeout = 120;
type Ports = ReturnType<typeof ClioRequester>["ports"];

/** Contexts ask in turn; replies come `delays` cycles after their requests. */
async function races(b: Bench<Ports>, contexts: number, tries: number, nack: boolean): Promise<void> {
  const { io, sim } = b,
    mac = new EthernetMac(sim, io.rx, io.tx),
    ask = new StreamSource(sim, io.memory),
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
    [io.config.timeout, timeout],
    [io.config.tries, tries],
    [io.config.on, 1],
  ] as const)
    signal.value = value;
  /** Requests of each context that have come since it asked, and when the reply to the first of them goes. */
  let asked = new Map<number, number>();
  const delays = new Map<number, number>(),
    due: { readonly at: number; readonly frame: Uint8Array }[] = [];
  b.onEdge({
    sample: cycle => {
      for (let f = mac.take(); f; f = mac.take()) {
        const q = dissect(f.bytes) as Required<Dissected>,
          { tag } = q.clio,
          reply = (state: number, code: number, ...body: Uint8Array[]): Uint8Array =>
            replyFrame(node, { ...q, native: true }, code, state, ...body);
        if (q.clio.opcode === opcode.FENCE) {
          due.push({ at: cycle + 10, frame: reply(status.OK, opcode.FENCE) });
          continue;
        }
        const before = asked.get(tag) ?? 0,
          { va, length } = { va: BigInt(0x1000 + 64 * tag), length: 8 },
          data = new Uint8Array(8).fill(tag + 1),
          fine = reply(status.OK, replyCode(opcode.READ), concat(encode(accessBody, { va, length }), data));
        asked.set(tag, before + 1);
        // A repetition is answered soon.
        if (before > 0) due.push({ at: cycle + 20, frame: fine });
        else
          due.push({ at: cycle + (delays.get(tag) as number), frame: nack ? reply(status.NACK, opcode.READ) : fine });
      }
      for (const d of due.splice(0).sort((x, y) => x.at - y.at)) {
        if (d.at <= cycle) mac.send(d.frame);
        else due.push(d);
      }
    },
  });
  await b.until(() => io.greeted.value !== 0);
  let expired = 0,
    repeated = 0;
  for (let delay = timeout - 30; delay < timeout + 8; delay++)
    for (let phase = 0; phase < 2 * contexts; phase++) {
      asked = new Map();
      await b.cycles(1 + ((phase * 3) % 7));
      for (let c = 0; c < contexts; c++) {
        delays.set(c, delay + (c === 0 ? 0 : (phase % contexts) - c));
        ask.send({ context: c, tag: 0, kind: "load", va: BigInt(0x1000 + 64 * c), words: 1 });
      }
      await b.until(() => answers.received.length >= contexts);
      // Late replies and repetitions still come; nothing answers them.
      await b.until(() => due.length === 0);
      await b.cycles(2 * timeout);
      await b.until(() => due.length === 0);
      await b.cycles(60);
      const got = answers.received.splice(0).map(({ value }) => ({ ...value, context: Number(value.context) })),
        data = words.received.splice(0).map(w => w.value),
        what = `a reply after ${delay} cycles, phase ${phase}`;
      expect(
        got.map(a => a.context).sort((x, y) => x - y),
        what,
      ).toEqual(Array.from({ length: contexts }, (_, c) => c));
      expect(data, what).toEqual(
        got.filter(a => a.status === status.OK).map(a => 0x0101_0101_0101_0101n * BigInt(a.context + 1)),
      );
      for (const a of got) {
        expect([status.OK, status.EXPIRED], what).toContain(a.status);
        if (a.status === status.EXPIRED) expired++;
        // Its time is over once at most, or the node says NACK: one repetition.
        expect(asked.get(a.context), `${what}: requests of context ${a.context}`).toBeLessThanOrEqual(
          tries === 1 ? (nack ? 2 : 1) : 2,
        );
        if (asked.get(a.context) === 2) repeated++;
      }
    }
  if (tries === 1 && !nack) expect(expired, "both ends of the race are seen").toBeGreaterThan(0);
  else expect(repeated, "both ends of the race are seen").toBeGreaterThan(0);
}
const run = (contexts: number, tries: number, nack: boolean, design: Dut<Ports>): Promise<void> =>
  runBench("races", design, { wave: false, seed: 1, hangCycles: 4000, limitCycles: 2_000_000 }, b =>
    races(b, contexts, tries, nack),
  );

const cases = [
  [1, 1, false],
  [2, 1, false],
  [2, 4, false],
  [4, 4, true],
] as const;
describe("ClioRequester: a reply as its time is over", () => {
  for (const [contexts, tries, nack] of cases)
    test(`${contexts} contexts, ${tries} tries${nack ? ", NACK" : ""}`, () =>
      run(contexts, tries, nack, ClioRequester({ beatBytes: 64, contexts })));
  test.each<readonly [string, RegExp, string]>([
    ["the watch decides while the receiver looks", /\(receiver_state == receiver_state_look\) \| /, ""],
    ["the watch decides while the receiver does", /receiver_settled = [^;]*;/, "receiver_settled = 1'b1;"],
    ["the watch decides in the cycle of the judgement", / \| \(receiver_state == receiver_state_judge\)/, ""],
    [
      "the watch does not look again at who waits",
      /watch_over & watch_waits & receiver_settled/,
      "watch_over & receiver_settled",
    ],
  ])("a planted fault: %s", async (_, from, to) => {
    await findsFault(run(2, 1, false, plant(ClioRequester({ beatBytes: 64, contexts: 2 }), from, to)));
  });
});
