import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  axi4Address,
  axi4Master,
  axi4Read,
  Axi4Register,
  axi4Response,
  axi4Slave,
  axi4Write,
  emit,
  leavesOf,
  type Shape,
} from "../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Pause,
  runBench,
  type StreamIo,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { lint } from "../support/lint.ts";
import { everyPressure } from "../support/pressures.ts";

const p = { addressBits: 20, idBits: 3, beatBytes: 8 };
const slice = Axi4Register(p);
const channels = [
  ["aw", "s", "m"],
  ["w", "s", "m"],
  ["b", "m", "s"],
  ["ar", "s", "m"],
  ["r", "m", "s"],
] as const;
const shapes: Readonly<Record<(typeof channels)[number][0], Shape>> = {
  aw: axi4Address(p),
  w: axi4Write(8),
  b: axi4Response(p),
  ar: axi4Address(p),
  r: axi4Read(p),
};

type Side = () => { readonly pause: Pause };
const allChannels = async (b: Bench<(typeof slice)["ports"]>, from: Side, to: Side): Promise<void> => {
  const io = b.io as unknown as Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;
  const ends = channels.map(([name, s, m]) => {
    const channel = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const into = new StreamSource(b.sim, io[`${s}${channel}`] as StreamIo<Shape, "in">, from()),
      out = new StreamSink(b.sim, io[`${m}${channel}`] as StreamIo<Shape, "out">, to());
    const sent = Array.from({ length: 100 }, () =>
      Object.fromEntries<number | bigint>(
        leavesOf(shapes[name]).map(l => [
          l.path[0] ?? "",
          l.width > 53 ? b.random.bits(l.width) : Number(b.random.bits(l.width)),
        ]),
      ),
    );
    for (const v of sent) into.send(v);
    return { name, out, sent };
  });
  await b.until(() => ends.every(e => e.out.received.length === 100));
  await b.cycles(4);
  for (const e of ends)
    expect(
      e.out.received.map(r => r.value),
      e.name,
    ).toEqual(e.sent);
};

describe("Axi4Register", () => {
  everyPressure("all five channels at once, nothing lost, changed or mixed up", slice, {}, allChannels);
  test.each([
    ["what waits in the skid is lost", "r_full <= m_r_valid | r_skid_full", "r_full <= m_r_valid"],
    ["a channel is ready whatever it holds", "assign s_aw_ready = ~aw_skid_full", "assign s_aw_ready = 1'b1"],
    [
      "an ID of the wrong beat",
      "r_held_id <= r_skid_full ? r_skid_held_id : m_r_payload_id",
      "r_held_id <= m_r_payload_id",
    ],
  ] as const)("planted fault: %s", (_name, from, to) =>
    findsFault(
      runBench("channels", plant(slice, from, to), { wave: false, hangCycles: 500 }, b =>
        allChannels(
          b,
          () => ({ pause: bernoulli(0.4, 3) }),
          () => ({ pause: bernoulli(0.4, 4) }),
        ),
      ),
      /./,
    ),
  );
  const beats = async (b: Bench<(typeof slice)["ports"]>): Promise<void> => {
    const into = new StreamSource(b.sim, b.io.sW),
      out = new StreamSink(b.sim, b.io.mW);
    const sent = Array.from({ length: 30 }, (_, i) => into.send({ data: i, strb: 255, last: 1 }));
    await b.until(() => out.received.length === 30);
    expect(out.received.map(r => r.cycle)).toEqual(sent.map(s => (s.cycle as number) + 1));
    const seen: number[] = [];
    for (const ready of [0, 1]) {
      b.io.mAw.ready.value = ready;
      b.sim.settle();
      seen.push(b.io.sAw.ready.value);
    }
    for (const valid of [0, 1]) {
      b.io.sAw.valid.value = valid;
      b.sim.settle();
      seen.push(b.io.mAw.valid.value);
    }
    expect(seen).toEqual([1, 1, 0, 0]);
  };
  bench("latency 1, a beat every cycle; ready and valid come from registers", slice, {}, beats);
  test("planted fault: a beat goes out the cycle it comes", () =>
    findsFault(
      runBench(
        "beats",
        plant(slice, "assign m_w_valid = w_full", "assign m_w_valid = w_full | s_w_valid"),
        { wave: false, hangCycles: 500 },
        beats,
      ),
      /./,
    ));
  test("a master's ports and a slave's face each other", () => {
    const m = axi4Master("m", p),
      s = axi4Slave("s", p);
    for (const c of ["Aw", "W", "B", "Ar", "R"] as const) {
      expect(m[`m${c}`].dir).not.toBe(s[`s${c}`].dir);
      expect(m[`m${c}`].shape).toEqual(s[`s${c}`].shape);
    }
    expect([m.mAw.dir, m.mB.dir]).toEqual(["out", "in"]);
  });
  test.each(["full", "forward", "backward"] as const)("%s: the tools accept it without a waiver", kind =>
    expect(lint(emit(Axi4Register({ ...p, kind })))).toBe(""),
  );
});
