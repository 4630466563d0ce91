import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { RgmiiMac, type Shape, XgmiiMac } from "../../../../hdl-dsl/index.ts";
import { AxisSink, type Bench, bernoulli, never, type Pause, runBench, type StreamIo } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { onLine } from "./lines.ts";
import {
  clocksOf,
  type Coming,
  countsOf,
  DEPTH,
  fateOf,
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

interface Traffic {
  readonly frames: number;
  readonly send: Pause;
  readonly take: Pause;
}
/** Both ways at once: frames of all lengths to the line, good and bad ones from it. */
async function talks(b: Bench, k: Kind, t: Traffic): Promise<void> {
  const r = b.random,
    line = watchLine(b, k),
    send = sends(b, k, t.send),
    sink = new AxisSink(b.sim, (b.io as Io)["received"] as never, { pause: t.take, domain: "user" });
  const length = (): number =>
    r.pick([1, 8, 59, 60, 61, 63, 64, 65, 68, r.between(60, k.longest - 4), r.between(1, 90)]);
  const sent = Array.from({ length: t.frames }, () => frameOf(r, length()));
  // The bounds first, then anything.
  const bounds = [59, 60, k.longest - 5, k.longest - 4, k.longest - 3];
  const coming = Array.from({ length: t.frames }, (_, i): Coming => {
    const bound = bounds[i];
    return {
      frame: frameOf(r, bound ?? (r.chance(0.15) ? r.between(1, 60) : length())),
      damage:
        bound !== undefined || r.chance(0.6)
          ? "none"
          : r.pick(k.bytes === 1 ? ["check", "code", "start"] : ["check", "code", "start", "cut"]),
      gap: r.chance(0.5) ? (k.bytes === 1 ? 12 : 5) : r.between(12, 40),
      preamble: r.pick([7, 6, 1]),
    };
  });
  sent.forEach(send);
  const gone = playLine(b, k, coming),
    good = coming.filter(f => fateOf(k, f) === "good");
  await b.clock("user").until(() => gone() && sink.frames.length >= good.length && line.frames.length >= 0);
  for (let i = 0; i < 400 && line.frames().length < sent.length; i++) await b.clock("user").cycles(50);
  await b.clock("user").cycles(60);
  expect(sink.frames.map(f => [...f.bytes])).toEqual(good.map(f => [...f.frame]));
  expect(line.frames().map(f => f.bytes)).toEqual(sent.map(onLine));
  const expected: Record<string, number> = { ...none };
  for (const f of coming) expected[fateOf(k, f)]!++;
  expect(countsOf(b)).toEqual(expected);
}

/** Frames that wait for one another: the gaps between them, and the line's rate. */
async function gaps(b: Bench, k: Kind): Promise<void> {
  const line = watchLine(b, k),
    send = sends(b, k, never),
    lengths = Array.from({ length: 60 }, (_, i) => 60 + ((i * 5) % 23));
  lengths.forEach(n => send(frameOf(b.random, n)));
  for (let i = 0; i < 400 && line.frames().length < lengths.length; i++) await b.clock("user").cycles(50);
  // The first ones may wait for the user.
  const came = line
    .frames()
    .slice(3)
    .map(f => f.gap);
  expect(line.frames().length).toBe(lengths.length);
  if (k.bytes === 1) {
    expect(new Set(came)).toEqual(new Set([12]));
    return;
  }
  // By the standard's own rule: the deficit is what the gaps so far lack of 12, 0 to 3, and grows as long as it may.
  expect(Math.min(...came)).toBeGreaterThanOrEqual(9);
  expect(Math.max(...came)).toBeLessThanOrEqual(15);
  let lacks = 0;
  const extremes = new Set<number>();
  for (const gap of came) {
    lacks += 12 - gap;
    extremes.add(lacks);
  }
  // What is lacked stays within 3 of where it began, and all of the 3 is made use of.
  expect(Math.max(...extremes) - Math.min(...extremes)).toBe(3);
}

/** A user who takes less than comes: frames are lost as wholes, and those that come out are whole. */
async function overflows(b: Bench, k: Kind): Promise<void> {
  const r = b.random;
  let open = false;
  const slow = bernoulli(0.85, 5);
  const sink = new AxisSink(b.sim, (b.io as Io)["received"] as never, { pause: () => !open && slow(), domain: "user" });
  const coming = Array.from({ length: 40 }, (_, i): Coming => ({
    frame: frameOf(r, 60 + r.below(120)),
    damage: i % 7 === 3 ? "check" : "none",
    gap: 12,
    preamble: 7,
  }));
  const gone = playLine(b, k, coming);
  await b.clock("user").until(gone);
  await b.clock("user").cycles(30);
  const good = coming.filter(f => f.damage === "none"),
    { overflow } = countsOf(b);
  expect(overflow).toBeGreaterThan(5);
  expect(countsOf(b)).toEqual({ ...none, good: good.length, check: coming.length - good.length, overflow });
  open = true;
  await b.clock("user").until(() => sink.frames.length === good.length - overflow!);
  await b.clock("user").cycles(200);
  expect(sink.frames.length).toBe(good.length - overflow!);
  const came = sink.frames.map(f => [...f.bytes].join());
  // In order, each of those that were sent.
  let at = 0;
  for (const f of good) if (came[at] === [...f.frame].join()) at++;
  expect(at).toBe(came.length);
  // There is room again: nothing is lost any more.
  const more = Array.from({ length: 3 }, (): Coming => ({
    frame: frameOf(r, 70),
    damage: "none",
    gap: 12,
    preamble: 7,
  }));
  const again = playLine(b, k, more);
  await b.clock("user").until(again);
  await b.clock("user").until(() => sink.frames.length === came.length + 3);
  expect(countsOf(b)["overflow"]).toBe(overflow);
}

/** Latencies by the clocks they are said in: all three are the same here. */
async function times(b: Bench, k: Kind): Promise<void> {
  const n = 64,
    beats = n / k.bytes,
    frame = frameOf(b.random, n),
    seen: number[] = [];
  const line = (b.io as Io)["txLine"] as Signals,
    idle = (): boolean => (k.bytes === 1 ? line["controlRise"]!.value === 0 : line["control"]!.value === 255);
  let now = 0,
    cameIn = -1;
  const io = (b.io as Io)["send"] as StreamIo<Shape, "in">,
    received = (b.io as Io)["received"] as StreamIo<Shape, "out">;
  const rx = (b.io as Io)["rxLine"] as Signals;
  const at: Record<string, number> = {};
  const first = (what: string, holds: boolean): void => {
    if (holds) at[what] ??= now;
  };
  const lineIn = (): boolean => (k.bytes === 1 ? rx["controlRise"]!.value === 1 : rx["control"]!.value !== 255);
  b.onEdge(
    {
      sample: () => {
        now++;
        first("sent", io.valid.value === 1 && io.ready.value === 1);
        first("line", !idle());
        if (lineIn()) cameIn = now;
        first("received", received.valid.value === 1);
      },
      drive: () => undefined,
    },
    "user",
  );
  sends(b, k, never)(frame);
  playLine(b, k, [{ frame, damage: "none", gap: 12, preamble: 7 }]);
  await b.clock("user").cycles(400);
  seen.push(at["line"]! - at["sent"]! - beats, at["received"]! - cameIn);
  // Two crossings of 1 and 2 to 3 cycles; the store; the sender. The same on the way in.
  expect(seen).toEqual(k.bytes === 1 ? LATENCY[1] : LATENCY[8]);
}
const LATENCY = { 1: [5, 6], 8: [7, 10] } as const;

/** A frame that no store holds is not sent; the next one is. */
async function unsent(b: Bench, k: Kind): Promise<void> {
  const line = watchLine(b, k),
    send = sends(b, k, never),
    small = frameOf(b.random, 77);
  send(frameOf(b.random, DEPTH[k.bytes as 1 | 8] * k.bytes + 40));
  send(small);
  await b.clock("user").cycles(DEPTH[k.bytes as 1 | 8] * 3 + 900);
  expect(line.frames().map(f => f.bytes)).toEqual([onLine(small)]);
  expect(countsOf(b)).toEqual({ ...none, unsent: 1 });
}

/** Reset while frames are under way both ways. */
async function cutOff(b: Bench, k: Kind): Promise<void> {
  const send = sends(b, k, never);
  send(frameOf(b.random, 200));
  playLine(b, k, [{ frame: frameOf(b.random, 200), damage: "none", gap: 12, preamble: 7 }]);
  await b.clock("user").cycles(k.bytes === 1 ? 300 : 50);
  b.sim.reset(2);
  for (let i = 0; i < (k.bytes === 1 ? 300 : 60); i++) {
    await b.clock("user").cycles(1);
    expect(countsOf(b), "counts after a reset").toEqual(none);
  }
}

describe.each([rgmii, xgmii])("$name", k => {
  const slow = k.bytes === 1 ? 8 : 6.4;
  for (const [what, user, frames, pause] of [
    ["a faster user", 5, 40, 0],
    ["a user with the line's clock that pauses", slow, 40, 0.3],
    ["a slow user", 2 * slow, 25, 0.2],
  ] as const)
    bench(what, k.dut, { clocks: clocksOf(user, slow, slow * 1.0002), limitCycles: 100_000 }, b =>
      talks(b, k, { frames, send: bernoulli(pause, 1), take: bernoulli(user > slow ? 0 : pause, 2) }),
    );
  bench("gaps between frames", k.dut, { clocks: clocksOf(4, slow, slow), limitCycles: 50_000 }, b => gaps(b, k));
  bench("a full store", k.dut, { clocks: clocksOf(4, slow, slow), limitCycles: 50_000, hangCycles: 50_000 }, b =>
    overflows(b, k),
  );
  bench("latencies", k.dut, { clocks: clocksOf(8, 8, 8) }, b => times(b, k));
  bench("a frame longer than the store", k.dut, { clocks: clocksOf(4, slow, slow) }, b => unsent(b, k));
  bench("reset in the middle of frames", k.dut, { clocks: clocksOf(4, slow, slow) }, b => cutOff(b, k));
});

test("lengths and depths that fit no frame are refused", () => {
  expect(() => RgmiiMac({ longest: 63 })).toThrow("RgmiiMac: longest is 63; choose 64 to 16000 bytes");
  expect(() => XgmiiMac({ longest: 1522, depth: 64 })).toThrow(
    "XgmiiMac: depth is 64; a frame of 1522 bytes takes 191",
  );
});

type Run = "talks" | "gaps" | "overflows" | "unsent" | "cutOff";
const runs: Readonly<Record<Run, (b: Bench, k: Kind) => Promise<void>>> = {
  talks: (b, k) => talks(b, k, { frames: 40, send: never, take: never }),
  gaps,
  overflows,
  unsent,
  cutOff,
};
type Planted = readonly [Run, string, string | RegExp, string];
const faults: Readonly<Record<"rgmii" | "xgmii", readonly Planted[]>> = {
  rgmii: [
    ["talks", "a frame of 59 bytes is not padded", "count >= 6'd59", "count >= 6'd58"],
    ["talks", "the check sequence is sent as it stands", "~crc[7:0]", "crc[7:0]"],
    ["gaps", "a gap of eleven bytes", "count == 6'd10", "count == 6'd9"],
    ["gaps", "a gap of thirteen bytes", "count == 6'd10", "count == 6'd11"],
    ["talks", "an error of the line is not seen", "if (line_er) wrong <= 1'b1;", ""],
    ["talks", "an error spoils the next frame, too", /wrong <= 1'b0;\s*end\s*if \(~line_en\)/, "end if (~line_en)"],
    ["talks", "a wrong byte before the frame is passed over", /spoilt <= line_er \| [^;]*;/, "spoilt <= line_er;"],
    ["talks", "a frame of 63 bytes is good", "length < 14'd64", "length < 14'd63"],
    ["talks", "a frame a byte too long is good", "length > 14'd300", "length > 14'd301"],
    ["talks", "the check sequence comes out", "filled == 3'd5", "filled == 3'd4"],
    ["cutOff", "the rest of a frame after reset counts", "quiet <= 1'b0;", "quiet <= 1'b1;"],
    ["cutOff", "a count shows one after a reset", "good_count_gray <= 16'd0;", "good_count_gray <= 16'd1;"],
    [
      "overflows",
      "a lost frame's beginning comes out",
      /received_frames_push_payload_drop = [^;]*;/,
      "received_frames_push_payload_drop = ~end_owed & receiver_beat_bad;",
    ],
    [
      "overflows",
      "the rest of a lost frame is stored",
      /beat_wants = [^;]*;/,
      "beat_wants = receiver_beat_valid & ~end_owed;",
    ],
    ["overflows", "a lost frame is counted twice", /overflow_count \+ 16'd1/, "overflow_count + 16'd2"],
    ["unsent", "what is not sent is not counted", "send_frames_dropped ? unsent_count", "1'b0 ? unsent_count"],
  ],
  xgmii: [
    ["talks", "frames in lane 4 are not moved", /wire moved = [^;]*;/, "wire moved = 1'b0;"],
    [
      "talks",
      "a control character is taken for the end",
      "wire ended = (|(word_ends & first)) & ends",
      "wire ended = ends",
    ],
    ["talks", "ends of frames in lane 4 are not moved", /word_ends = moved \? [^;]*;/, "word_ends = last_ends;"],
    ["talks", "no frame is seen in lane 4", /begin_at4 <= line_control\[4\][^;]*;/, "begin_at4 <= 1'b0;"],
    ["talks", "the start delimiter is not looked at", "(control == 8'd1) & (word[63:56] == 8'd213)", "control == 8'd1"],
    ["talks", "five bytes in the last word: the fifth is lost", "rest_count > 3'd4", "rest_count > 3'd5"],
    ["talks", "four bytes in the last word", "count[2] ? 8'hff", "1'b0 ? 8'hff"],
    ["talks", "a frame's length forgets its last word", /bytes = length \+ [^;]*;/, "bytes = length;"],
    ["talks", "a wrong start is forgotten", "refused <= begins & ~starts;", "refused <= 1'b0;"],
    ["talks", "a frame of 57 to 59 bytes is not padded", "keep | 8'hf", "keep"],
    ["gaps", "gaps are never shorter", "{1'b0, deficit} + {1'b0, place[1:0]}", "{|place[1:0], 2'd0}"],
    ["gaps", "gaps are shorter each time", "{2'd0, owes[2]}", "3'd0"],
    ["gaps", "the half does not count for the gap", "{2'd0, half, 2'd0}", "5'd0"],
    ["overflows", "an owed end is forgotten", /if \(beat_misses & frame_began\) end_owed <= 1'b1;/, ""],
  ],
};
describe.each([
  ["rgmii", rgmii, 8],
  ["xgmii", xgmii, 6.4],
] as const)("planted faults, %s", (kind, k, periodNs) => {
  test.each(faults[kind])("%s: %s", (run, _what, from, to) =>
    findsFault(
      runBench(
        run,
        plant(k.dut, from, to),
        { wave: false, hangCycles: 20_000, limitCycles: 40_000, clocks: clocksOf(4, periodNs, periodNs) },
        b => runs[run](b, k),
      ),
      /./,
    ),
  );
});
