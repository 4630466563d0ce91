import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import {
  Axi4ClockConverter,
  AxisClockConverter,
  leavesOf,
  LiteClockConverter,
  type Ports,
  type Shape,
  type StreamPort,
} from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  runBench,
  type StreamIo,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

type Any = StreamIo<Shape, "in"> & StreamIo<Shape, "out">;

/**
 * Every channel at once: what goes in on one side comes out on the other, in order and whole.
 * @param rests how often a source has nothing; one that never rests offers in the cycle in which a FIFO becomes full
 */
async function crosses(
  b: Bench,
  ports: Ports,
  pairs: readonly (readonly [string, string])[],
  rests = 0.3,
  count = 60,
): Promise<void> {
  const io = b.io as unknown as Readonly<Record<string, Any>>;
  const ends = pairs.map(([from, to], n) => {
    const { shape } = ports[from] as StreamPort,
      domain = (name: string): string => (ports[name] as StreamPort).domain as string;
    const into = new StreamSource(b.sim, io[from]!, { domain: domain(from), pause: bernoulli(rests, n) }),
      out = new StreamSink(b.sim, io[to]!, { domain: domain(to), pause: bernoulli(n % 2 === 0 ? 0.2 : 0.6, 50 + n) });
    const sent = Array.from({ length: count }, () =>
      Object.fromEntries<number | bigint>(
        leavesOf(shape).map(l => [l.path[0]!, l.width > 53 ? b.random.bits(l.width) : Number(b.random.bits(l.width))]),
      ),
    );
    for (const v of sent) into.send(v);
    return { from, out, sent };
  });
  await b.clock("m").until(() => ends.every(e => e.out.received.length === count));
  await b.clock("m").cycles(20);
  for (const e of ends)
    expect(
      e.out.received.map(r => r.value),
      e.from,
    ).toEqual(e.sent);
}
const channels = [
  ["sAw", "mAw"],
  ["sW", "mW"],
  ["mB", "sB"],
  ["sAr", "mAr"],
  ["mR", "sR"],
] as const;
const axi4 = Axi4ClockConverter({ addressBits: 20, idBits: 3, beatBytes: 8 }),
  lite = LiteClockConverter({ addressBits: 12, depth: 4 }),
  axis = AxisClockConverter({ bytes: 4 });
const clocks = [
  ["equal", 10, 10],
  ["from slow to fast", 23, 4],
  ["from fast to slow", 4, 23],
  ["nearly equal", 10, 10.3],
] as const;

describe.each([
  ["Axi4ClockConverter", axi4 as Dut, channels],
  ["LiteClockConverter", lite as Dut, channels],
  ["AxisClockConverter", axis as Dut, [["from", "to"]]],
] as const)("%s", (_name, dut, pairs) => {
  for (const [what, s, m] of clocks)
    bench(`${what} clocks`, dut, { clocks: { s: { periodNs: s }, m: { periodNs: m } } }, b =>
      crosses(b, (dut as typeof axi4 as { readonly ports: Ports }).ports, pairs),
    );
  for (const [s, m] of [
    [4, 23],
    [23, 4],
  ] as const)
    bench(
      `sources that never rest, ${s} ns to ${m} ns`,
      dut,
      { clocks: { s: { periodNs: s }, m: { periodNs: m } } },
      b => crosses(b, (dut as typeof axi4 as { readonly ports: Ports }).ports, pairs, 0),
    );
});

test.each([
  ["two channels are mixed up", "push_payload_id (m_r_payload_id)", "push_payload_id (m_b_payload_id)"],
  ["a full FIFO takes more", /assign push_ready = [^;]*;/, "assign push_ready = 1'b1;"],
] as const)("planted fault: %s", (_what, from, to) =>
  findsFault(
    runBench(
      "crosses",
      plant(axi4 as Dut, from, to),
      { wave: false, hangCycles: 500, clocks: { s: { periodNs: 4 }, m: { periodNs: 9 } } },
      b => crosses(b, axi4.ports, channels),
    ),
    /./,
  ),
);
