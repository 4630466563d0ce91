import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import {
  AxisSink,
  type Bench,
  bernoulli,
  never,
  runBench,
  type StreamIo,
  StreamSource,
} from "../../../../sim/index.ts";
import type { Shape } from "../../../../hdl-dsl/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { onLine } from "./lines.ts";
import {
  clocksOf,
  type Coming,
  countsOf,
  frameOf,
  type Io,
  type Kind,
  none,
  playLine,
  rgmii,
  sends,
  type Signals,
  watchLine,
  xgmii,
} from "./mac-world.ts";

const GROUP = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01],
  STATION = 0x0203_0405_06f7n,
  station = [0x02, 0x03, 0x04, 0x05, 0x06, 0xf7];
/** A PAUSE frame by the standard's table: destination, source, type, operation, time; zeros up to 60 bytes. */
function pauseOf(quanta: number, from: readonly number[] = station): Uint8Array {
  const frame = new Uint8Array(60);
  frame.set([...GROUP, ...from, 0x88, 0x08, 0x00, 0x01, quanta >> 8, quanta & 255]);
  return frame;
}
const comes = (frame: Uint8Array, damage: Coming["damage"] = "none", gap = 12): Coming => ({
  frame,
  damage,
  gap,
  preamble: 7,
});
const signal = (b: Bench, name: string): { value: number | bigint } => (b.io as Io)[name] as never;
const settings = (b: Bench, obeys: number): void => {
  signal(b, "obeys").value = obeys;
  signal(b, "station").value = STATION;
};
const asks = (b: Bench) =>
  new StreamSource(b.sim, (b.io as Io)["pause"] as StreamIo<Shape, "in">, { pause: bernoulli(0.3, 4), domain: "user" });
const takes = (b: Bench, pause = never) =>
  new AxisSink(b.sim, (b.io as Io)["received"] as never, { pause, domain: "user" });
/** Cycles of the line in a quantum, and those in which a frame of n bytes stands on it, at most. */
const quantum = (k: Kind): number => 64 / k.bytes;
const onTheLine = (k: Kind, n: number): number => Math.ceil((n + 4 + 8 + 12) / k.bytes) + 2;
const busy = (b: Bench, k: Kind): boolean => {
  const line = (b.io as Io)["txLine"] as Signals;
  return k.bytes === 1 ? line["controlRise"]!.value === 1 : line["control"]!.value !== 255;
};
/** The longest time that the sender's line was idle, and the same since the last look, in cycles of it. */
function watchIdle(b: Bench, k: Kind) {
  let now = 0,
    most = 0,
    sinceLook = 0;
  b.sim.onEdge(
    {
      sample: () => {
        now = busy(b, k) ? 0 : now + 1;
        most = Math.max(most, now);
        sinceLook++;
      },
      drive: () => undefined,
    },
    "tx",
  );
  return { most: () => most, start: () => ((most = 0), (now = 0), (sinceLook = 0)), cycles: () => sinceLook };
}

/** PAUSE frames of all times, others that are nearly ones, and traffic both ways: only the former are obeyed. */
async function obeyed(b: Bench, k: Kind): Promise<void> {
  settings(b, 1);
  const r = b.random,
    line = watchLine(b, k),
    idle = watchIdle(b, k),
    send = sends(b, k, never),
    sink = takes(b, bernoulli(0.1, 3));
  const sent = Array.from({ length: 60 }, () => frameOf(r, r.between(60, 90)));
  sent.forEach(send);
  // More time than the frames before it need: the sender is never idle for so long by itself.
  const time = 8;
  await b.clock("user").cycles(k.bytes === 1 ? 400 : 80);
  const gone = playLine(b, k, [comes(frameOf(r, 61)), comes(pauseOf(time))]);
  await b.clock("user").until(gone);
  await b.clock("user").until(() => signal(b, "paused").value === 1);
  idle.start();
  await b.clock("user").until(() => signal(b, "paused").value === 0);
  await b.clock("user").cycles(quantum(k));
  // One frame and its gap may have been under way when it came; a cycle or two of each clock are a crossing.
  expect(idle.most()).toBeGreaterThan(time * quantum(k) - onTheLine(k, 90));
  expect(idle.most()).toBeLessThanOrEqual(time * quantum(k) + 12 / k.bytes + 8);

  // A byte that differs in any place of the header makes a frame like others of it; so does a check that fails.
  const near = [0, 5, 12, 13, 14, 15].map(i => {
    const f = pauseOf(0x7777);
    f[i] = f[i]! ^ (1 << r.below(8));
    return f;
  });
  const classes = pauseOf(0x7777);
  classes[14] = 1;
  const others = [...near, classes, frameOf(r, 70)];
  const gone2 = playLine(b, k, [
    ...others.map(f => comes(f)),
    comes(pauseOf(0xffff), "check"),
    comes(pauseOf(0x1000, GROUP)),
    comes(pauseOf(0)),
  ]);
  await b.clock("user").until(gone2);
  await b.clock("user").cycles(40);
  // The last one but one says 4096 quanta: 0 ends the wait.
  expect(signal(b, "paused").value).toBe(0);
  await b.clock("user").until(() => sink.frames.length >= others.length + 1);
  for (let i = 0; i < 400 && line.frames().length < sent.length; i++) await b.clock("user").cycles(50);
  await b.clock("user").cycles(60);
  expect(line.frames().map(f => f.bytes)).toEqual(sent.map(onLine));
  expect(sink.frames.slice(1).map(f => [...f.bytes])).toEqual(others.map(f => [...f]));
  expect(countsOf(b)).toEqual({ ...none, good: others.length + 4, check: 1, pauses: 3 });
}

/** Without `obeys` nothing waits, and PAUSE frames do not come out; with it taken away a wait ends. */
async function notObeyed(b: Bench, k: Kind): Promise<void> {
  settings(b, 0);
  const line = watchLine(b, k),
    send = sends(b, k, never),
    sink = takes(b);
  await b.clock("user").until(playLine(b, k, [comes(pauseOf(500)), comes(pauseOf(0xffff))]));
  expect(signal(b, "paused").value).toBe(0);
  signal(b, "obeys").value = 1;
  await b.clock("user").until(playLine(b, k, [comes(pauseOf(0xffff))]));
  await b.clock("user").until(() => signal(b, "paused").value === 1);
  const one = frameOf(b.random, 64);
  send(one);
  await b.clock("user").cycles(2 * onTheLine(k, 64) + 200);
  expect(line.frames().length).toBe(0);
  signal(b, "obeys").value = 0;
  for (let i = 0; i < 40 && line.frames().length < 1; i++) await b.clock("user").cycles(50);
  expect(line.frames().map(f => f.bytes)).toEqual([onLine(one)]);
  expect(sink.frames.length).toBe(0);
  expect(countsOf(b)).toEqual({ ...none, good: 3, pauses: 3 });
}

/** PAUSE frames of the user's between frames and during a wait: each whole, with its time and station, in order. */
async function asked(b: Bench, k: Kind): Promise<void> {
  settings(b, 1);
  const r = b.random,
    line = watchLine(b, k),
    send = sends(b, k, bernoulli(0.1, 2)),
    ask = asks(b);
  const sent = Array.from({ length: 25 }, () => frameOf(r, r.pick([1, 59, 60, 61, 64, r.between(60, 200)]))),
    times = [0, 1, 0xff00, 0x00ff, ...Array.from({ length: 8 }, () => r.below(65536))];
  sent.forEach(send);
  for (const t of times) {
    ask.send(t);
    await b.clock("user").cycles(r.below(k.bytes === 1 ? 300 : 40));
  }
  const isPause = (f: readonly number[]): boolean => GROUP.every((v, i) => f[i] === v);
  const all = (n: number): boolean => line.frames().length >= n;
  for (let i = 0; i < 600 && !all(sent.length + times.length); i++) await b.clock("user").cycles(50);
  await b.clock("user").cycles(100);
  const came = line.frames().map(f => f.bytes);
  expect(came.filter(isPause)).toEqual(times.map(t => onLine(pauseOf(t))));
  expect(came.filter(f => !isPause(f))).toEqual(sent.map(onLine));
  // While the sender waits, a frame does and a PAUSE frame does not.
  await b.clock("user").until(playLine(b, k, [comes(pauseOf(0xffff))]));
  await b.clock("user").until(() => signal(b, "paused").value === 1);
  const before = line.frames().length;
  send(sent[0]!);
  [7, 8, 9, 10, 11, 12].forEach(t => ask.send(t));
  for (let i = 0; i < 100 && !all(before + 6); i++) await b.clock("user").cycles(50);
  await b.clock("user").cycles(2 * onTheLine(k, 200) + 200);
  expect(
    line
      .frames()
      .slice(before)
      .map(f => f.bytes),
  ).toEqual([7, 8, 9, 10, 11, 12].map(t => onLine(pauseOf(t))));
  // The wait ends by a frame: the other one goes, and all is back.
  await b.clock("user").until(playLine(b, k, [comes(pauseOf(0))]));
  for (let i = 0; i < 100 && !all(before + 7); i++) await b.clock("user").cycles(50);
  expect(line.frames().at(-1)?.bytes).toEqual(onLine(sent[0]!));
}

/** The store of what is received is full, and a PAUSE frame comes: it counts, and is no frame that was lost. */
async function whileFull(b: Bench, k: Kind): Promise<void> {
  settings(b, 1);
  let open = false;
  const sink = takes(b, () => !open),
    r = b.random;
  const fill = Array.from({ length: 12 }, () => comes(frameOf(r, 200)));
  await b.clock("user").until(playLine(b, k, fill));
  await b.clock("user").cycles(30);
  const { overflow } = countsOf(b);
  expect(overflow).toBeGreaterThan(2);
  await b.clock("user").until(playLine(b, k, [comes(pauseOf(3)), comes(frameOf(r, 200)), comes(pauseOf(0x4000))]));
  await b.clock("user").cycles(30);
  expect(signal(b, "paused").value).toBe(1);
  expect(countsOf(b)).toEqual({ ...none, good: 15, pauses: 2, overflow: overflow! + 1 });
  open = true;
  await b.clock("user").until(() => sink.frames.length === 12 - overflow!);
  await b.clock("user").cycles(300);
  expect(sink.frames.length).toBe(12 - overflow!);
  // A reset during a wait: nothing waits any more.
  const line = watchLine(b, k),
    send = sends(b, k, never);
  b.sim.reset(2);
  settings(b, 1);
  const one = frameOf(r, 64);
  send(one);
  for (let i = 0; i < 40 && line.frames().length < 1; i++) await b.clock("user").cycles(50);
  expect(line.frames().map(f => f.bytes)).toEqual([onLine(one)]);
  expect(countsOf(b)).toEqual(none);
}

/** Both latencies, by cycles of three clocks that are the same. */
async function times(b: Bench, k: Kind): Promise<void> {
  settings(b, 1);
  const at: Record<string, number> = {},
    ask = (b.io as Io)["pause"] as StreamIo<Shape, "in">,
    rx = (b.io as Io)["rxLine"] as Signals;
  let now = 0,
    cameIn = -1;
  const first = (what: string, holds: boolean): void => {
    if (holds) at[what] ??= now;
  };
  b.onEdge(
    {
      sample: () => {
        now++;
        if (k.bytes === 1 ? rx["controlRise"]!.value === 1 : rx["control"]!.value !== 255) cameIn = now;
        first("asked", ask.valid.value === 1 && ask.ready.value === 1);
        first("line", busy(b, k));
        first("paused", signal(b, "paused").value === 1);
        if (signal(b, "paused").value === 1) at["still"] = now;
      },
      drive: () => undefined,
    },
    "user",
  );
  new StreamSource(b.sim, ask, { pause: never, domain: "user" }).send(5);
  playLine(b, k, [comes(pauseOf(9))]);
  await b.clock("user").cycles(1200);
  expect([at["line"]! - at["asked"]!, at["paused"]! - cameIn]).toEqual(LATENCY[k.bytes as 1 | 8]);
  expect(at["still"]! - at["paused"]! + 1).toBe(9 * quantum(k));
}
/** From a request to the line, and from a PAUSE frame's end on the line to `paused`. */
const LATENCY = { 1: [6, 9], 8: [8, 14] } as const;

const run = { obeyed, notObeyed, asked, whileFull, times } as const;
const limits = { limitCycles: 80_000, hangCycles: 80_000, wave: false } as const;
describe.each([
  ["RgmiiMac", rgmii, 8],
  ["XgmiiMac", xgmii, 6.4],
] as const)("PAUSE, %s", (_name, k, line) => {
  for (const [what, user, r] of [
    ["frames that are obeyed and those that are not", 5, obeyed],
    ["a slow user", 2 * line, obeyed],
    ["not obeyed", 5, notObeyed],
    ["frames of the user's", 5, asked],
    ["a full store, and reset during a wait", 5, whileFull],
    ["latencies", line, times],
  ] as const)
    bench(what, k.dut, { ...limits, clocks: clocksOf(user, line, what === "latencies" ? line : line * 1.0002) }, b =>
      r(b, k),
    );
});

type Planted = readonly [keyof typeof run, string, string | RegExp, string];
const both: readonly Planted[] = [
  ["obeyed", "a PAUSE frame comes out", "(receiver_beat_bad | pause_found)", "receiver_beat_bad"],
  ["obeyed", "a damaged frame is obeyed", "pause_found & receiver_received_good", "pause_found"],
  [
    "obeyed",
    "0 does not end a wait",
    /pause_left <= pause_times_pop_payload/,
    "pause_left <= pause_times_pop_payload | 16'd64",
  ],
  ["obeyed", "the header counts up to the one before", /if \(receiver_beat_last\) begin/, "if (1'b0) begin"],
  ["times", "a time lasts a quantum less", "(|pause_left)", "(|pause_left[15:1])"],
  ["notObeyed", "obeyed though nobody said so", /if \(~obeys_seen_2\)/, "if (1'b0)"],
  [
    "asked",
    "a PAUSE frame waits for the wait's end",
    /sends_pause = \(\|pause_beats\) & ~frame_offered/,
    "sends_pause = (|pause_beats) & ~frame_offered & ~sender_waits",
  ],
  ["asked", "a frame of the user's is cut", "(|pause_beats) & ~frame_offered", "(|pause_beats)"],
  ["asked", "a wait is not kept", "frame_offered | ~sender_waits", "1'b1"],
  [
    "whileFull",
    "a PAUSE frame that finds no room counts as lost",
    /beat_misses & receiver_beat_last & ~\(receiver_beat_bad \| pause_found\)/,
    "beat_misses & receiver_beat_last & ~receiver_beat_bad",
  ],
  [
    "asked",
    "the sender believes that a frame is under way for ever",
    /send_frames_pop_payload_last\) frame_offered <= 1'b0;/,
    "1'b0) frame_offered <= 1'b0;",
  ],
  ["asked", "four bytes too few", /pause_beats <= (2'd3|5'd18);/, "pause_beats <= 2'd2;"],
  ["obeyed", "the beginning of a frame is not looked at", /if \(pause_at_or[^)]*\) pause_same <= 1'b0;/, ""],
  ["times", "what is left of a quantum counts for the next wait", /if \(&pause_part\)/, "if (pause_part[0])"],
];
describe.each([
  ["rgmii", rgmii, 8],
  ["xgmii", xgmii, 6.4],
] as const)("planted faults, %s", (_kind, k, line) => {
  test.each(both)("%s: %s", (what, _name, from, to) =>
    findsFault(
      runBench(
        what,
        plant(k.dut, from, to),
        { ...limits, clocks: clocksOf(what === "times" ? line : 5, line, line) },
        b => run[what](b, k),
      ),
      /./,
    ),
  );
});
