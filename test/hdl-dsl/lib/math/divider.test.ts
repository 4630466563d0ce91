import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { Divider, type DividerRequest } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type InputOf,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const dut = (width: number, bitsPerCycle: number) => Divider({ width, bitsPerCycle });
type Ports = ReturnType<typeof dut>["ports"];
type Ask = InputOf<DividerRequest> & { readonly dividend: number; readonly divisor: number; readonly signed: number };

/** RISC-V's rules, with whole numbers of any size. */
function divided(a: Ask, width: number): { readonly quotient: number; readonly remainder: number } {
  const all = 2n ** BigInt(width),
    half = all / 2n;
  const read = (v: number): bigint => (a.signed === 1 && BigInt(v) >= half ? BigInt(v) - all : BigInt(v));
  const n = read(a.dividend),
    d = read(a.divisor);
  const mod = (v: bigint): number => Number(((v % all) + all) % all);
  return d === 0n
    ? { quotient: Number(all - 1n), remainder: a.dividend }
    : { quotient: mod(n / d), remainder: mod(n % d) };
}

async function divides(
  b: Bench<Ports>,
  width: number,
  per: number,
  asks: readonly Ask[],
  [from, to]: readonly [Pause, Pause] = [never, never],
): Promise<void> {
  const into = new StreamSource(b.sim, b.io.request, { pause: from }),
    out = new StreamSink(b.sim, b.io.result, { pause: to });
  const sent = asks.map(a => into.send(a));
  await b.until(() => out.received.length === asks.length);
  out.received.forEach((r, i) =>
    expect({ ...asks[i], ...r.value }).toEqual({ ...asks[i], ...divided(asks[i]!, width) }),
  );
  if (from === never && to === never) {
    const latency = Math.ceil(width / per) + 1;
    out.received.forEach((r, i) => expect(r.cycle - sent[i]!.cycle!).toBe(latency));
    sent.slice(1).forEach((s, i) => expect(s.cycle! - sent[i]!.cycle!).toBe(latency));
  }
  await b.cycles(2);
  expect([b.io.result.valid.value, b.io.request.ready.value]).toEqual([0, 1]);
}
const everything = (width: number): readonly Ask[] =>
  Array.from({ length: 2 ** (2 * width + 1) }, (_, i) => ({
    dividend: i % 2 ** width,
    divisor: Math.floor(i / 2 ** width) % 2 ** width,
    signed: Math.floor(i / 4 ** width),
  }));
const chosen = (b: Bench<Ports>, width: number, count: number): readonly Ask[] => {
  const r = b.random,
    top = 2 ** width - 1;
  const number = (): number =>
    r.chance(0.3)
      ? [0, 1, top, 2 ** (width - 1), 2 ** (width - 1) - 1][r.below(5)]!
      : Number(r.bits(r.between(1, width)));
  return Array.from({ length: count }, () => ({ dividend: number(), divisor: number(), signed: r.below(2) }));
};

describe("Divider", () => {
  for (const per of [1, 2, 3])
    bench(`4 bits, ${per} a cycle: every division there is`, dut(4, per), { limitCycles: 20_000 }, b =>
      divides(b, 4, per, everything(4)),
    );
  bench("32 bits, 2 a cycle, both sides stall", dut(32, 2), {}, b =>
    divides(b, 32, 2, chosen(b, 32, 200), [bernoulli(0.7, 3), bernoulli(0.8, 4)]),
  );
  bench("17 bits, 4 a cycle: a width that the bits do not divide", dut(17, 4), {}, b =>
    divides(b, 17, 4, chosen(b, 17, 200), [never, bernoulli(0.5, 4)]),
  );
  const cutOff = async (b: Bench<Ports>): Promise<void> => {
    for (const after of [0, 1, 3, 8]) {
      expect(await offer(b, b.io.request, { dividend: 9, divisor: 2, signed: 0 })).toBe(true);
      await b.cycles(after);
      b.sim.reset(1);
      b.sim.settle();
      expect([b.io.result.valid.value, b.io.request.ready.value]).toEqual([0, 1]);
    }
    await divides(b, 4, 1, everything(4).slice(0, 40));
  };
  bench("reset forgets the division", dut(4, 1), {}, cutOff);
  test.each([
    [
      "the remainder is the divisor's",
      /minus_remainder <= [^;]*;/,
      "minus_remainder <= request_payload_signed & request_payload_divisor[3];",
    ],
    ["a quotient by 0 has a sign", " & (|request_payload_divisor)", ""],
    ["a divisor below 0 is taken as it is", /divisor <= ([^;]*);/, "divisor <= request_payload_divisor;"],
    ["a step too few", "left <= 3'd4", "left <= 3'd3"],
    ["a request while the result waits", /assign request_ready = [^;]*;/, "assign request_ready = ~busy;"],
    ["reset leaves the result", "left <= 3'd0; done <= 1'b0;", "left <= 3'd0;"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut(4, 1), from, to),
      o = { wave: false, hangCycles: 300, limitCycles: 20_000 } as const;
    return findsFault(
      runBench("divides", faulty, o, b => divides(b, 4, 1, everything(4), [never, bernoulli(0.5, 1)])).then(() =>
        runBench("cut off", faulty, o, cutOff),
      ),
      /./,
    );
  });
});
