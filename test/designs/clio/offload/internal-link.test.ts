/** The link between the network, the node and offloads: its priorities, its separation of offloads, and its cost. */
import { describe, expect, test } from "vitest";
import { mergeInternal, patience, splitInternal } from "../../../../designs/clio/offload/index.ts";
import { AxisBeat } from "../../../../designs/shared/frame/index.ts";
import { connect, module, sink, source } from "../../../../hdl-dsl/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  type Frame,
  never,
  type Pause,
  runBench,
  type SentFrame,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

interface Shape {
  readonly beatBytes: number;
}
/** Both ways side by side: `network` and `internal` onto `rx`, `tx` to `outside` and `inside`. */
const InternalLink = module(
  "InternalLink",
  (p: Shape) => {
    const beat = AxisBeat(p.beatBytes);
    return {
      network: sink(beat),
      internal: sink(beat),
      rx: source(beat),
      tx: sink(beat),
      outside: source(beat),
      inside: source(beat),
    };
  },
  (io, p) => {
    connect(mergeInternal(io.network, io.internal, p.beatBytes), io.rx);
    const { network, internal } = splitInternal(io.tx, p.beatBytes);
    connect(network, io.outside);
    connect(internal, io.inside);
  },
  { nameOf: p => `InternalLink_b${p.beatBytes}` },
);
type Ports = ReturnType<typeof InternalLink>["ports"];

/**
 * Where a sender's MAC address stands in a frame; the group bit of its first byte, and the mark of one from outside.
 */
const senderAt = 6,
  groupBit = 1,
  outsideBit = 0x80;
/** Where a frame's number and the side that it comes from stand: behind both MAC addresses. */
const markAt = 12;
const prefix = [0x03, 0x43, 0x4c, 0x49, 0x4f];
const longest = 1518;

type Side = "network" | "internal";
/** Frame number `n` of a side. `to`: the first bytes of its destination. */
function makeFrame(b: Bench<Ports>, side: Side, n: number, length: number, to: readonly number[] = []): Uint8Array {
  const bytes = b.random.bytes(length);
  bytes.set(to);
  bytes.set([side === "internal" ? 1 : 0, n & 255, n >> 8], markAt);
  if (side === "internal") bytes.set(prefix, senderAt);
  return bytes;
}
const sideOf = (f: Uint8Array): Side => (f[markAt] === 1 ? "internal" : "network");
/** What a frame is behind the link: those of the network with the group bit in their sender are marked. */
function behind(f: Uint8Array): Uint8Array {
  const out = f.slice();
  const first = out[senderAt] as number;
  if (sideOf(f) === "network" && (first & groupBit) !== 0) out[senderAt] = first | outsideBit;
  return out;
}

/**
 * An edge's view of the way in: the sources that offer, the source whose beat fired, and whether the beat was
 * its frame's last.
 */
interface Edge {
  readonly network: boolean;
  readonly internal: boolean;
  readonly moved: Side | undefined;
  readonly last: boolean;
}
function watch(b: Bench<Ports>): Edge[] {
  const edges: Edge[] = [],
    { network, internal } = b.io;
  b.onEdge({
    sample: () => {
      const fires = (s: typeof network): boolean => s.valid.value === 1 && s.ready.value === 1;
      expect(fires(network) && fires(internal), "both at once").toBe(false);
      const moved = fires(network) ? "network" : fires(internal) ? "internal" : undefined;
      edges.push({
        network: network.valid.value === 1,
        internal: internal.valid.value === 1,
        moved,
        last: moved !== undefined && b.io[moved].payload.last.value === 1,
      });
    },
  });
  return edges;
}

/**
 * The rule of the way in: the network goes first, but a frame from inside that has waited for `patience` edges goes
 * next. So no more than one frame of the network begins to move after that. While the network offers a beat at every
 * edge, more than `patience` edges lie between two frames from inside.
 */
function judge(edges: readonly Edge[]): void {
  let current: Side | undefined,
    waited = 0,
    late = 0,
    networkSince = 0,
    ended = -1;
  for (const [i, e] of edges.entries()) {
    if (!e.network) networkSince = i + 1;
    if (e.moved !== undefined && current === undefined) {
      if (e.moved === "network" && waited > patience) late++;
      if (e.moved === "internal") {
        expect(
          late,
          `frames of the network that began behind the patience of the frame from inside at edge ${i}`,
        ).toBeLessThanOrEqual(1);
        if (ended >= 0 && networkSince <= ended)
          expect(
            i - ended,
            `edges between two frames from inside, the second at edge ${i}, while the network waited`,
          ).toBeGreaterThan(patience);
      }
      current = e.moved;
    }
    if (e.moved !== undefined) expect(e.moved, `whose beat moves within a frame, at edge ${i}`).toBe(current);
    waited = e.internal && current !== "internal" ? waited + 1 : 0;
    if (waited === 0) late = 0;
    expect(late, `frames of the network that began behind patience, at edge ${i}`).toBeLessThanOrEqual(1);
    if (e.last) {
      if (current === "internal") ended = i;
      current = undefined;
    }
  }
}

interface Traffic {
  readonly frames: number;
  readonly network?: Pause;
  readonly internal?: Pause;
  readonly tx?: Pause;
  readonly take?: Pause;
  /** The network always has a frame to give. */
  readonly lineRate?: boolean;
}

/** Frames of both sides in and the node's frames out, at the same time; then everything that must hold. */
async function run(b: Bench<Ports>, t: Traffic) {
  const network = new AxisSource(b.sim, b.io.network, { pause: t.network ?? never }),
    internal = new AxisSource(b.sim, b.io.internal, { pause: t.internal ?? never });
  const tx = new AxisSource(b.sim, b.io.tx, { pause: t.tx ?? never }),
    take = { pause: t.take ?? never };
  const rx = new AxisSink(b.sim, b.io.rx, take),
    outside = new AxisSink(b.sim, b.io.outside, take),
    inside = new AxisSink(b.sim, b.io.inside, take);
  const edges = watch(b),
    length = (): number => (b.random.chance(0.2) ? longest : b.random.between(60, 300));
  const sent: Record<Side, SentFrame[]> = { network: [], internal: [] },
    left: Record<Side, SentFrame[]> = { network: [], internal: [] };
  const give = (side: Side): void => {
    sent[side].push((side === "network" ? network : internal).send(makeFrame(b, side, sent[side].length, length())));
  };
  if (t.lineRate === true)
    b.onEdge({
      drive: () => {
        while (network.pending < 2) give("network");
      },
    });
  for (let i = 0; i < t.frames; i++) {
    if (t.lineRate !== true) give("network");
    give("internal");
    // The node's own: for an offload, for an address that differs from an offload's in one bit, for others.
    const near = [...prefix],
      kind = i === 0 ? 0 : b.random.between(0, 2),
      flip = b.random.between(0, 39);
    near[flip >> 3] = (near[flip >> 3] as number) ^ (1 << (flip & 7));
    left[kind === 0 ? "internal" : "network"].push(
      tx.send(
        makeFrame(b, "network", i, length(), kind === 0 ? prefix : kind === 1 ? near : [2, b.random.between(0, 255)]),
      ),
    );
  }
  const came = (side: Side): Frame[] => rx.frames.filter(f => sideOf(f.bytes) === side);
  await b.until(() => internal.pending === 0 && tx.pending === 0 && (t.lineRate === true || network.pending === 0));
  await b.cycles(100);
  judge(edges);
  for (const side of ["network", "internal"] as const) {
    // At line rate the last ones are still on their way.
    const all = sent[side].slice(0, t.lineRate === true && side === "network" ? came(side).length : undefined);
    expect(
      came(side).map(f => f.bytes),
      `frames of the ${side}: none lost, twice or out of order`,
    ).toEqual(all.map(f => behind(f.bytes)));
  }
  expect(
    outside.frames.map(f => f.bytes),
    "to the network",
  ).toEqual(left.network.map(f => f.bytes));
  expect(
    inside.frames.map(f => f.bytes),
    "to offloads",
  ).toEqual(left.internal.map(f => f.bytes));
  return { edges, sent, left, came, outside: outside.frames, inside: inside.frames };
}

/** Frames from inside now and then, with room between them for the network. */
const sparse = (seed: number): Pause => bursts({ go: 60, pause: 600 }, seed);
const paused = (seed: number): Traffic => ({
  frames: 60,
  network: bernoulli(0.3, seed),
  internal: bernoulli(0.6, seed + 1),
  tx: bernoulli(0.2, seed + 2),
  take: bernoulli(0.3, seed + 3),
});

/** A reset when a frame from inside and one of the node have begun; then traffic as ever. */
async function resetWithin(b: Bench<Ports>): Promise<void> {
  const { network, internal, tx } = b.io;
  for (const port of [internal, tx]) {
    port.payload.data.bytes.set(prefix);
    port.payload.last.value = 0;
    port.valid.value = 1;
  }
  for (const port of [b.io.rx, b.io.outside, b.io.inside]) port.ready.value = 1;
  await b.cycles(3);
  network.valid.value = 1;
  internal.valid.value = 0;
  tx.valid.value = 0;
  await b.cycles(2);
  expect(network.ready.value, "the frame from inside has not ended").toBe(0);
  network.valid.value = 0;
  b.sim.reset();
  await run(b, { ...paused(7), frames: 30 });
}

describe.each([16, 64])("the internal link, %i bytes a beat", beatBytes => {
  const dut = InternalLink({ beatBytes }),
    frameBeats = Math.ceil(longest / beatBytes);
  bench(
    "both sides and the node's frames under random back-pressure",
    dut,
    { seed: 1, limitCycles: 200_000 },
    async b => {
      await run(b, paused(2));
    },
  );
  testOfResets(dut, {}, b => run(b, paused(2)));
  bench("bursts, and a taker that stops for long", dut, { seed: 2, limitCycles: 200_000 }, async b => {
    await run(b, {
      frames: 50,
      network: bursts({ go: 200, pause: 100 }, 3),
      internal: sparse(4),
      tx: never,
      take: bursts({ go: 100, pause: 400 }, 5),
    });
  });
  bench(
    "a network at line rate: frames from inside get in within patience and a frame, and take a frame's beats in so many cycles",
    dut,
    { seed: 3, limitCycles: 200_000 },
    async b => {
      const { edges, sent } = await run(b, { frames: 25, lineRate: true });
      const first = edges.findIndex(e => e.moved !== undefined);
      expect(
        edges.slice(first).every(e => e.moved !== undefined),
        "a beat at every edge: initiation interval 1, no bubble between frames",
      ).toBe(true);
      // Each waits from the edge behind the one before it.
      const waits = sent.internal.slice(1).map((f, i) => f.start! - sent.internal[i]!.end! - 1);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(patience);
      expect(Math.max(...waits)).toBeLessThan(patience + frameBeats);
      for (let i = first; i + patience < edges.length; i++) {
        const lost = edges.slice(i, i + patience).filter(e => e.moved === "internal").length;
        if (lost > frameBeats)
          throw new Error(
            `the network lost ${lost} beats in the ${patience} edges from ${i}, more than a frame of ${frameBeats}`,
          );
      }
    },
  );
  bench("latency 0 each way: a frame's beats leave at the edges at which they come", dut, { seed: 4 }, async b => {
    const { sent, left, came, outside, inside } = await run(b, { frames: 30, network: bernoulli(0.5, 1) });
    const times = (f: { readonly start: number | undefined; readonly end: number | undefined }): readonly unknown[] => [
      f.start,
      f.end,
    ];
    for (const side of ["network", "internal"] as const) expect(came(side).map(times)).toEqual(sent[side].map(times));
    expect([outside, inside].map(l => l.map(times))).toEqual([left.network, left.internal].map(l => l.map(times)));
  });
  bench("a reset in the middle of frames leaves nothing of them", dut, { seed: 5, limitCycles: 200_000 }, resetWithin);
});

describe("a planted fault in the internal link is found", () => {
  const dut = InternalLink({ beatBytes: 64 });
  const check = async (name: string, design: Dut<Ports>): Promise<void> => {
    const options = { wave: false, seed: 8, hangCycles: 2000, limitCycles: 60_000 };
    await runBench(name, design, options, async b => {
      await run(b, { frames: 8, lineRate: true, tx: bernoulli(0.3, 1) });
    });
    await runBench(name, design, options, async b => {
      await run(b, { ...paused(9), frames: 30 });
    });
    await runBench(name, design, options, resetWithin);
  };
  test("and nothing without one", () => check("no fault", dut));
  const faults: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
    [
      "a group sender from outside is not marked",
      "(merge_first & network_payload_data[48])",
      "1'b0",
      /frames of the network/,
    ],
    [
      "a frame from inside never becomes impatient",
      "(merge_waited == 9'd256)",
      "1'b0",
      /ended after|behind patience|behind the patience/,
    ],
    [
      "a frame from inside is impatient at once",
      "(merge_waited == 9'd256)",
      "1'b1",
      /edges between two frames from inside/,
    ],
    [
      "who goes first changes within a frame",
      "merge_locked ? merge_owner : merge_picks",
      "merge_picks",
      /whose beat moves within a frame|valid|payload/,
    ],
    [
      "a frame is parted by each of its beats",
      "split_first ? split_inside_node : split_owner",
      "split_inside_node",
      /to the network|to offloads|valid/,
    ],
    [
      "reset does not end the frame under way",
      "if (rst) split_first <= 1'b1;",
      "if (1'b0) split_first <= 1'b1;",
      /to the network|to offloads/,
    ],
  ];
  for (const [name, from, to, why] of faults)
    test(name, async () => {
      await findsFault(check(name, plant(dut, from, to)), why);
    });
});
