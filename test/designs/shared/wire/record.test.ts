/** Records: fields side by side from the lowest bit, and nothing that does not fit. */
import { describe, expect, it } from "vitest";
import { num } from "../../../../designs/shared/wire/layout.ts";
import { packRecord, record, type RecordLayout, unpackRecord } from "../../../../designs/shared/wire/record.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const parameterSets: readonly RecordLayout[] = [
  record("narrow", "Bits", { a: num(1, ""), b: num(3, ""), c: num(1, "") }),
  record("wide", "More than a word", { a: num(32, ""), b: num(7, ""), c: num(32, ""), d: num(30, "") }),
];

/** What packs as `r` does, by a string of bits. */
const slowly = (r: RecordLayout, values: Readonly<Record<string, number>>): bigint =>
  BigInt(
    `0b${Object.entries(r.fields)
      .map(([name, f]) => (values[name] ?? 0).toString(2).padStart(f.bits, "0"))
      .reverse()
      .join("")}`,
  );

/** Random values, the extremes often, packed by `pack` and back. */
function check(r: RecordLayout, pack: (values: Readonly<Record<string, number>>) => bigint): void {
  const random = new Random(r.bits);
  for (let n = 0; n < 200; n++) {
    const values = Object.fromEntries(
      Object.entries(r.fields).map(([name, f]) => [name, random.pick([0, 2 ** f.bits - 1, random.below(2 ** f.bits)])]),
    );
    const packed = pack(values);
    expect(packed, JSON.stringify(values)).toBe(slowly(r, values));
    expect(unpackRecord(r, packed)).toEqual(values);
  }
}

describe.each(parameterSets)("a record, $name", r => {
  it("packs and unpacks every field where it is", () => {
    check(r, values => packRecord(r, values));
  });
  it("a planted fault is found: a field one bit too high", () => {
    expect(() => {
      check(r, values => packRecord(r, values) << 1n);
    }).toThrow();
  });
  it("fields that are left out are 0", () => {
    expect(packRecord(r, {})).toBe(0n);
  });
  it("what does not fit is told", () => {
    expect(() => packRecord(r, { b: 2 ** (r.fields["b"]?.bits ?? 0) })).toThrow(/b holds \d bits, \d+ does not fit/);
    expect(() => packRecord(r, { a: -1 })).toThrow(/a holds \d+ bits, -1 does not fit/);
    expect(() => packRecord(r, { z: 1 })).toThrow(/there is no field z; the fields are a, b, c/);
    expect(() => unpackRecord(r, 1n << BigInt(r.bits))).toThrow(/has \d+ bits, 0x\w+ does not fit/);
  });
});

it("a record without fields is refused", () => {
  expect(() => record("none", "", {})).toThrow("record none: there are no fields; give one at least");
});
