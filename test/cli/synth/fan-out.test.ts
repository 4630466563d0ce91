import { describe, expect, it } from "vitest";
import { widestNets } from "../../../cli/synth/fan-out.ts";
import { ff, lut, netlist } from "./netlists.ts";

const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const register = (i: number, pins: Readonly<Record<string, number>>) => ({
  name: `f${i}`,
  type: "FDRE",
  in: { C: 1000, D: 100 + i, ...pins },
  out: { Q: 200 + i },
});

describe("the fan-out of a netlist", () => {
  it("counts the inputs on a net, and no clock", () => {
    const n = netlist([ff("f", 9, 1), lut("l1", 2, 1), lut("l2", 3, 1, 2), ff("g", 1, 5)], { a: 1, b: 2 });
    expect(widestNets(n, 2).map(f => `${f.net.name} ${f.sinks} ${f.role}`)).toEqual(["a 3 logic", "b 1 logic"]);
  });
  it("tells enables and resets of registers from logic", () => {
    const n = netlist(
      many(300, i => register(i, { CE: 1, R: 2 })).concat(many(20, i => register(400 + i, { CE: 3, R: 2 }))),
      { load: 1, rst: 2, few: 3 },
    );
    expect(widestNets(n, 3).map(f => `${f.net.name} ${f.sinks} ${f.role}`)).toEqual([
      "rst 320 reset",
      "load 300 enable",
      "few 20 enable",
    ]);
    expect(widestNets(n, 1)[0]?.net.src).toBe("t.v:2");
  });
});
