import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { AxisSwitch, portOf } from "../../../../hdl-dsl/index.ts";
import { AxisSink, type Bench, bernoulli, never, type Pause, runBench, StreamSource } from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { pressures } from "../../support/pressures.ts";

const dut = (inputs: number, outputs: number, bytes = 2) => AxisSwitch({ bytes, inputs, outputs });
type Ports = ReturnType<typeof dut>["ports"];

interface Traffic {
  readonly inputs: number;
  readonly outputs: number;
  readonly from: (i: number) => Pause;
  readonly to: (i: number) => Pause;
}
/** Frames of every input to every output and to outputs that are not there. The first byte is the input's number. */
async function switches(b: Bench<Ports>, t: Traffic, count = 25): Promise<void> {
  const r = b.random,
    beyond = 2 ** Math.max(1, Math.ceil(Math.log2(t.outputs)));
  const dropped = Array.from({ length: t.inputs }, () => 0);
  b.onEdge({
    sample: () => {
      dropped.forEach((_, i) => (dropped[i]! += (b.io.dropped.num >> i) & 1));
    },
    drive: () => undefined,
  });
  const outs = Array.from(
    { length: t.outputs },
    (_, o) => new AxisSink(b.sim, portOf(b.io, "to", o), { pause: t.to(o) }),
  );
  const expected: number[][][][] = outs.map(() => Array.from({ length: t.inputs }, () => [])),
    lost = dropped.map(() => 0);
  const sources = dropped.map((_, i) => {
    const into = new StreamSource(b.sim, portOf(b.io, "from", i), { pause: t.from(i) });
    for (let n = 0; n < count; n++) {
      const bytes = [i, ...Array.from({ length: r.between(0, 8) }, () => r.between(0, 255))],
        dest = r.chance(0.1) ? beyond - 1 : r.below(t.outputs);
      if (dest < t.outputs) expected[dest]![i]!.push(bytes);
      else lost[i]!++;
      for (let at = 0; at < bytes.length; at += 2) {
        const two = bytes.slice(at, at + 2);
        into.send({
          data: two[0]! + 256 * (two[1] ?? 0),
          keep: two.length === 2 ? 3 : 1,
          last: at + 2 >= bytes.length ? 1 : 0,
          dest,
        });
      }
    }
    return into;
  });
  const whole = expected.map(e => e.reduce((n, f) => n + f.length, 0));
  await b.until(() => sources.every(s => s.pending === 0) && outs.every((o, i) => o.frames.length === whole[i]));
  await b.cycles(5);
  outs.forEach((o, n) => {
    const came = o.frames.map(f => [...f.bytes]);
    // Frames of an input come in order; between inputs any order will do.
    for (let i = 0; i < t.inputs; i++) expect(came.filter(f => f[0] === i)).toEqual(expected[n]![i]);
    expect(portOf(b.io, "to", n).valid.value).toBe(0);
  });
  expect(dropped).toEqual(lost);
}

/** All inputs want output 0 all the time: nobody waits for more than a frame of each of the others. */
async function fair(b: Bench<Ports>, inputs: number): Promise<void> {
  const out = new AxisSink(b.sim, portOf(b.io, "to", 0));
  const sent = Array.from({ length: inputs }, (_, i) => {
    const into = new StreamSource(b.sim, portOf(b.io, "from", i));
    return Array.from({ length: 20 }, (_f, n) => into.send({ data: i, keep: 3, last: n % 2, dest: 0 }));
  });
  await b.until(() => out.frames.length === 10 * inputs);
  const order = out.frames.map(f => f.bytes[0]);
  order.forEach((i, at) => {
    if (at >= inputs) expect(order[at - inputs]).toBe(i);
  });
  // A beat in every cycle, from the first on, a cycle after it went in.
  const first = Math.min(...sent.map(s => s[0]!.cycle!));
  expect(out.frames[0]!.start - first).toBe(1);
  expect(out.frames.at(-1)!.end - first).toBe(20 * inputs);
}

describe("AxisSwitch", () => {
  pressures.forEach(([kind, from, to], n) =>
    bench(`3 inputs, 3 outputs: ${kind}`, dut(3, 3), { seed: n }, b =>
      switches(b, { inputs: 3, outputs: 3, from: i => from(10 * n + i), to: o => to(20 * n + o) }),
    ),
  );
  bench("4 inputs, 1 output: a multiplexer", dut(4, 1), {}, b =>
    switches(b, { inputs: 4, outputs: 1, from: i => bernoulli(0.3, i), to: () => bernoulli(0.2, 9) }),
  );
  bench("1 input, 5 outputs", dut(1, 5), {}, b =>
    switches(b, { inputs: 1, outputs: 5, from: () => never, to: o => bernoulli(0.5, o) }),
  );
  bench("round robin; latency 1, a beat every cycle", dut(4, 2), {}, b => fair(b, 4));
  bench("an output that stands still stops only who wants it", dut(2, 2), {}, async b => {
    const open = new AxisSink(b.sim, portOf(b.io, "to", 1));
    portOf(b.io, "to", 0).ready.value = 0;
    const stuck = new StreamSource(b.sim, portOf(b.io, "from", 0)),
      free = new StreamSource(b.sim, portOf(b.io, "from", 1));
    for (let i = 0; i < 3; i++) stuck.send({ data: i, keep: 3, last: 1, dest: 0 });
    for (let i = 0; i < 30; i++) free.send({ data: i, keep: 3, last: 1, dest: 1 });
    await b.until(() => open.frames.length === 30);
    expect(stuck.pending).toBeGreaterThan(0);
  });
  const cutOff = async (b: Bench<Ports>): Promise<void> => {
    // A frame that does not end before reset must not hold the output afterwards.
    const from = portOf(b.io, "from", 1);
    from.payload.dest.value = 1;
    from.payload.last.value = 0;
    from.payload.keep.value = 3;
    from.valid.value = 1;
    await b.cycles(4);
    from.valid.value = 0;
    b.sim.reset(1);
    b.sim.settle();
    expect(portOf(b.io, "to", 1).valid.value).toBe(0);
    // Nobody holds the output: another input has it at once.
    portOf(b.io, "to", 1).ready.value = 1;
    expect(await offer(b, portOf(b.io, "from", 2), { data: 2, keep: 3, last: 1, dest: 1 }, 2)).toBe(true);
    await b.cycles(3);
    await switches(b, { inputs: 3, outputs: 3, from: () => never, to: () => never }, 6);
  };
  bench("reset ends frames under way", dut(3, 3), {}, cutOff);

  test.each([
    ["frames of two inputs mix", /merged_1_locked <= [^;]*last[^;]*;/, "merged_1_locked <= ~beats_1_ready;"],
    ["the lowest input always wins", /merged_0_after = [^;]*;/, "merged_0_after = 3'd0;"],
    [
      "a frame to nowhere stops its input",
      /from2_ready = ([^;]*);/,
      "from2_ready = ($1) & (from2_payload_dest != 2'd3);",
    ],
    ["a frame to nowhere is not told", /dropped = \{?[^;]*;/, "dropped = 3'd0;"],
    ["a beat that waits is written over", "~out_2_full | to2_ready", "1'b1"],
    ["reset leaves a frame open", "merged_1_locked <= 1'b0; merged_1_owner", "merged_1_owner"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut(3, 3), from, to),
      o = { wave: false, hangCycles: 400 } as const;
    return findsFault(
      runBench("switches", faulty, o, b =>
        switches(b, { inputs: 3, outputs: 3, from: i => bernoulli(0.2, i), to: x => bernoulli(0.5, x) }),
      )
        .then(() => runBench("fair", faulty, o, b => fair(b, 3)))
        .then(() => runBench("cut off", faulty, o, cutOff)),
      /./,
    );
  });
});
