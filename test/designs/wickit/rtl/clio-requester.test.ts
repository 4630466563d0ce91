import { describe, expect, test } from "vitest";
import { status } from "../../../../designs/clio/wire/index.ts";
import { ModelMemory } from "../../../../designs/clio/model/index.ts";
import { FrameNode } from "../../../../designs/wickit/rig/index.ts";
import { ClioRequester } from "../../../../designs/wickit/rtl/index.ts";
import { type Bench, EthernetMac, runBench, StreamMonitor, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const client = { mac: 0x02_00_00_00_00_11n, ip: 0x0a00_0011, port: 4711 },
  node = { mac: 0x02_00_00_00_00_22n, ip: 0x0a00_0022, port: 51_000 },
  pid = 7,
  base = 0x10_0000n;

const requester = ClioRequester({ beatBytes: 64, contexts: 4 });
type Ports = (typeof requester)["ports"];

/** The requester before a node that answers, and has answered the greeting. */
async function greeted(b: Bench<Ports>, timeout: number): Promise<FrameNode> {
  const { io, sim } = b,
    memory = new ModelMemory(),
    mac = new EthernetMac(sim, io.rx, io.tx);
  memory.map(pid, base, 4096);
  const there = new FrameNode(sim, mac, { memory, own: node, client, random: b.random, latency: 20 });
  const c = io.config;
  for (const [signal, value] of [
    [c.mac, client.mac],
    [c.ip, client.ip],
    [c.port, client.port],
    [c.nodeMac, node.mac],
    [c.nodeIp, node.ip],
    [c.nodePort, node.port],
    [c.pid, pid],
    [c.firstId, 5],
    [c.timeout, timeout],
    [c.tries, 3],
    [c.on, 1],
  ] as const)
    signal.value = value;
  await b.until(() => io.greeted.value !== 0);
  await b.cycles(10);
  return there;
}

/** A node that falls silent: each time-out is kept, no sooner and not much later, however long it is. */
async function timeouts(b: Bench<Ports>, timeout: number): Promise<void> {
  const { io, sim } = b,
    there = await greeted(b, timeout),
    ends: number[] = [];
  there.silent = true;
  new StreamMonitor(sim, io.tx, ({ cycle, value }) => {
    if (value.last === 1) ends.push(cycle);
  });
  const ask = new StreamSource(sim, io.memory),
    answer = new StreamSink(sim, io.memoryReply);
  ask.send({ context: 2, tag: 3, kind: "load", va: base, words: 1 });
  await b.until(() => answer.received.length > 0);
  const { value, cycle } = answer.received[0]!;
  expect([value.context, value.status], "how it ended").toEqual([2, status.EXPIRED]);
  const times = [...ends, cycle],
    gaps = times.slice(1).map((t, i) => t - times[i]!);
  expect(gaps.length, "times that it was waited for").toBe(3);
  for (const gap of gaps) {
    expect(gap, "cycles between two requests").toBeGreaterThanOrEqual(timeout - 8);
    expect(gap, "cycles between two requests").toBeLessThan(timeout + 60);
  }
}
describe("ClioRequester: time-outs", () => {
  const lasts = { hangCycles: 400_000, limitCycles: 1_000_000 } as const;
  for (const timeout of [100, 4000, 5000, 9000, 70_000, 2 ** 17 + 5])
    bench(`of ${timeout} cycles`, requester, { seed: 1, ...lasts }, b => timeouts(b, timeout));
  test("a planted fault is found: a time that is due is compared in 13 bits", () =>
    findsFault(
      runBench(
        "13 bits",
        plant(requester, /watch_late_diff\[23\]/, "watch_late_diff[12]"),
        { wave: false, ...lasts },
        b => timeouts(b, 5000),
      ),
      /cycles between/,
    ));
});

describe("ClioRequester: latency is as stated", () => {
  for (const [kind, words, sends] of [
    ["load", 1, 0],
    ["load", 8, 0],
    ["store", 8, 8],
    ["cas", 1, 2],
  ] as const)
    bench(`${kind} of ${words} words`, requester, { seed: 1 }, async b => {
      const { io, sim } = b;
      await greeted(b, 1000);
      const tx: number[] = [],
        rx: number[] = [];
      new StreamMonitor(sim, io.tx, ({ cycle }) => tx.push(cycle));
      new StreamMonitor(sim, io.rx, ({ cycle }) => rx.push(cycle));
      const ask = new StreamSource(sim, io.memory),
        data = new StreamSource(sim, io.memoryData),
        answer = new StreamSink(sim, io.memoryReply),
        answerData = new StreamSink(sim, io.memoryReplyData);
      const sent = ask.send({ context: 1, tag: 3, kind, va: base, words });
      for (let i = 0; i < sends; i++) data.send(BigInt(i));
      await b.until(() => answer.received.length > 0);
      const head = answer.take();
      await b.cycles(12);
      expect(answerData.received.length).toBe(kind === "load" ? words : kind === "cas" ? 1 : 0);
      // 8 cycles and the words to the frame's first beat. From the reply's last beat 5, and 6 when it is all header and
      // data, so that the data's beat comes behind it.
      expect((tx[0] ?? 0) - (sent.cycle ?? 0)).toBe(8 + sends);
      expect((head?.cycle ?? 0) - (rx.at(-1) ?? 0)).toBe(words === 1 ? 6 : 5);
    });
});
