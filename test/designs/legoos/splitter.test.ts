import { describe, expect, test } from "vitest";
import { accessBody, clioMessage, opcode } from "../../../designs/clio/wire/index.ts";
import { Splitter } from "../../../designs/legoos/rtl/index.ts";
import { compoundBody, flushAndFetch } from "../../../designs/legoos/wire/index.ts";
import { encode, udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSink, AxisSource, bernoulli, type Dut, type Random, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { spreadIp, spreadMac, spreadPort } from "../../support/spread.ts";

const endOf = (n: number, salt: number) => ({
  mac: spreadMac(n, salt),
  ip: spreadIp(n, salt),
  port: spreadPort(n, salt),
});

/** A frame, and what must come out for it. */
function sample(r: Random): readonly [Uint8Array, readonly Uint8Array[]] {
  const from = endOf(r.below(8), 0),
    to = endOf(r.below(4), 1),
    kind = r.below(4),
    data = r.bytes(kind === 3 ? r.between(0, 40) : 64 * r.between(2, 8)),
    miss = r.below(16),
    head = { pid: r.below(65536), requestId: r.word(), retryOf: r.word(), flagTracked: 1, flagRetry: r.below(2) };
  const va = r.bits(42) << 6n,
    fetchVa = r.bits(42) << 6n,
    access = (v: bigint, length = data.length) => encode(accessBody, { va: v, length });
  const frame = (...m: Parameters<typeof clioMessage>): Uint8Array => udpFrame(from, to, clioMessage(...m));
  if (kind === 0) {
    const whole = frame(
      { ...head, tag: miss | 16, opcode: flushAndFetch },
      encode(compoundBody, { flushVa: va, fetchVa }),
      data,
    );
    return [
      whole,
      [
        frame({ ...head, tag: miss | 16, opcode: opcode.WRITE }, access(va), data),
        frame({ ...head, flagTracked: 0, flagRetry: 0, retryOf: 0, tag: miss, opcode: opcode.READ }, access(fetchVa)),
      ],
    ];
  }
  const other =
    kind === 1
      ? frame({ ...head, tag: miss, opcode: opcode.READ }, access(va, 64))
      : kind === 2
        ? frame({ ...head, tag: miss, opcode: opcode.WRITE }, access(va), data)
        : udpFrame(from, to, data);
  return [other, [other]];
}

const run = (design: Dut<ReturnType<typeof Splitter>["ports"]> = Splitter(), frames = 60) =>
  runBench("splitter", design, { seed: 1, wave: false, limitCycles: 20_000 }, async b => {
    const source = new AxisSource(b.sim, b.io.from, { pause: bernoulli(0.2, 1) }),
      sink = new AxisSink(b.sim, b.io.to, { pause: bernoulli(0.3, 2) }),
      samples = Array.from({ length: frames }, () => sample(b.random));
    for (const [whole] of samples) source.send(whole);
    for (const [, out] of samples)
      for (const expected of out) expect(Array.from((await sink.recv()).bytes)).toEqual(Array.from(expected));
    await b.cycles(40);
    expect(sink.take()).toBeUndefined();
  });

test("a compound becomes a WRITE and a READ, all else passes as it is", () => run(undefined));

describe("planted faults", () => {
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["the READ keeps the length of the whole", /16'd28/, "16'd29"],
    ["every frame with data is taken for a compound", / == 8'(?:d70|h46)/, " != 8'd255"],
    ["the READ is forgotten", "splits & ~from_payload_user", "1'b0"],
  ];
  for (const [what, a, z] of faults) test(what, () => findsFault(run(plant(Splitter(), a, z))));
});
