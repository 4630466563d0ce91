import { describe, expect, test } from "vitest";
import { cutFields, joinBytes, joinFields } from "../../../../designs/shared/frame/index.ts";
import {
  big,
  encode,
  ipv4Header,
  layout,
  type Layout,
  num,
  type Values,
} from "../../../../designs/shared/wire/index.ts";
import { constant, input, module, output, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const little = layout("little", "Fields of a little-endian header", "le", {
  low: num(3, ""),
  across: num(14, ""),
  wide: big(55, ""),
});
/** A header in network order behind other bytes, and a little-endian one at the start. */
const parameterSets: readonly { readonly l: Layout; readonly base: number; readonly name: string }[] = [
  { name: "ipv4", l: ipv4Header, base: 14 },
  { name: "little", l: little, base: 0 },
];
const Fields = module(
  "FieldsHarness",
  ({ at }: { at: number }) => {
    const { l, base } = parameterSets[at] as (typeof parameterSets)[number];
    return { bytes: input(uint((base + l.bytes) * 8)), same: output(uint(l.bytes * 8)), sum: output(uint(64)) };
  },
  (io, { at }) => {
    const { l, base } = parameterSets[at] as (typeof parameterSets)[number],
      cut = cutFields(l, io.bytes, base);
    io.same.set(joinBytes(joinFields(l, cut)));
    io.sum.set(Object.values(cut).reduce((a: UInt, v: UInt) => a.add(a).add(a).add(v.zext(64)), constant(0, 64)));
  },
);
const bigOf = (bytes: Uint8Array): bigint => [...bytes].reverse().reduce((v, x) => (v << 8n) | BigInt(x), 0n);

/** Random headers, made by the codec: the hardware finds the same fields, and puts them together again. */
function run(b: Bench<ReturnType<typeof Fields>["ports"]>, at: number): Promise<void> {
  const { l, base } = parameterSets[at] as (typeof parameterSets)[number];
  for (let n = 0; n < 500; n++) {
    const values = Object.fromEntries(
      Object.entries(l.fields).map(([name, f]) => [
        name,
        f.kind === "big" ? b.random.bits(f.bits) : Number(b.random.bits(f.bits)),
      ]),
    ) as Values<typeof l.fields>;
    const header = encode(l, values),
      bytes = Uint8Array.from([...b.random.bytes(base), ...header]);
    b.io.bytes.value = bigOf(bytes);
    b.sim.settle();
    expect(b.io.same.big, "the bytes put together again").toBe(bigOf(header));
    const sum = Object.keys(l.fields).reduce(
      (a, name) => (a * 3n + BigInt(values[name] as number | bigint)) & ((1n << 64n) - 1n),
      0n,
    );
    expect(b.io.sum.big, "the fields").toBe(sum);
  }
  return Promise.resolve();
}
describe.each(parameterSets.map((p, at) => ({ ...p, at })))("fields of $name at byte $base", ({ at }) => {
  test("as the codec has them", () => runBench("fields", Fields({ at }), {}, b => run(b, at)));
  test("a planted fault is found: a bit of the bytes is left out", () =>
    findsFault(
      runBench("fields planted", plant(Fields({ at }), /\bassign same = /, "assign same = 1 ^ "), { wave: false }, b =>
        run(b, at),
      ),
      /put together/,
    ));
});
