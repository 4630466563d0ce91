import { describe, expect, it } from "vitest";
import {
  big,
  ipv4Header,
  layout,
  type Layout,
  layoutFunction,
  layoutTable,
  num,
  placementsOf,
  protoFields,
  raw,
} from "../../../../designs/shared/wire/index.ts";

const little = layout("little", "Little | header", "le", {
  kind: num(3, 'a "kind"', "dec", { 1: "one" }),
  rest: num(13, ""),
  wide: big(48, "", "hex"),
  name: raw(64, "", "text"),
});
/** A protocol's name, a layout, and names for a field that the layout does not tell. */
const parameterSets: readonly { readonly protocol: string; readonly l: Layout; readonly names: object }[] = [
  { protocol: "one", l: ipv4Header, names: {} },
  { protocol: "other", l: little, names: { rest: { 7: "seven" } } },
];

/** Every field is defined once, with its mask, and added to the tree from the right bytes in the right order. */
function check(l: Layout, protocol: string, fields: readonly string[], lua: string): void {
  const places = placementsOf(l);
  expect(fields.length, "fields").toBe(places.length);
  places.forEach((p, i) => {
    expect(fields[i], `definition of ${p.name}`).toContain(`f.${l.name}_${p.name} = ProtoField.`);
    expect(fields[i], `filter of ${p.name}`).toContain(`"${protocol}.${l.name}.${p.name}"`);
    const mask = ((1n << BigInt(p.width)) - 1n) << BigInt(p.bitOffset);
    if (p.width < p.byteLength * 8) expect(fields[i], `mask of ${p.name}`).toContain(`0x${mask.toString(16)}`);
    const plain = p.bigEndian || l.fields[p.name]?.kind === "raw";
    expect(lua, `bytes of ${p.name}`).toContain(
      `tree:${plain ? "add" : "add_le"}(f.${l.name}_${p.name}, buffer(offset + ${p.byteOffset}, ${p.byteLength}))`,
    );
  });
  expect(lua).toContain(`return offset + ${l.bytes}`);
}
describe.each(parameterSets)("the dissector of $l.name", ({ protocol, l, names }) => {
  const fields = protoFields(protocol, l, names as Parameters<typeof protoFields>[2]);
  it("has every field where it is", () => {
    check(l, protocol, fields, layoutFunction(l));
  });
  it("names values, and quotes what is text in Lua", () => {
    for (const told of Object.values(names) as Record<number, string>[])
      for (const [v, name] of Object.entries(told)) expect(fields.join("\n")).toContain(`[${v}] = "${name}"`);
    if (l === (little as Layout)) expect(fields[0]).toContain('"a \\"kind\\""');
  });
  it("and the reference page has a row for each, in order", () => {
    const rows = layoutTable(l)
      .split("\n")
      .filter(r => /^\| \d/.test(r));
    expect(rows.map(r => r.split(" | ")[1])).toEqual(placementsOf(l).map(p => p.name));
    expect(layoutTable(l)).toContain(`${l.bytes} bytes, ${l.order === "be" ? "network byte order" : "little-endian"}`);
  });
  it("a planted fault is found: a field is read in the wrong order, or from the next byte", () => {
    const wrong = layoutFunction(l).replace(/offset \+ 2, /, "offset + 3, ");
    expect(() => {
      check(l, protocol, fields, wrong);
    }).toThrow(/bytes of/);
    expect(() => {
      check(l, protocol, fields.slice(1), layoutFunction(l));
    }).toThrow(/fields/);
  });
});
