import { describe, expect, it } from "vitest";
import { areaOf, totalLuts } from "../../../cli/synth/area.ts";
import { depthOfPath } from "../../../cli/synth/carry.ts";
import { deepestPaths, mostLevels } from "../../../cli/synth/paths.ts";
import { sourceLine } from "../../../cli/synth/source-line.ts";
import { ff, lut, netlist } from "./netlists.ts";

const depths = (n: Parameters<typeof deepestPaths>[0]): string[] =>
  deepestPaths(n, 9).map(p => `${p.levels}+${p.carries} ${p.nets.map(x => x.name).join(" > ")}`);

describe("the depth of a netlist", () => {
  it("is the LUTs between registers, the deepest of several ways", () => {
    const n = netlist([ff("f", 9, 1), lut("l1", 2, 1), lut("l2", 3, 2), lut("l3", 4, 1, 3), ff("g", 4, 5)], {
      a: 1,
      mid: 3,
      b: 5,
    });
    expect(depths(n)).toEqual(["3+0 a > mid > b", "0+0 a"]);
  });
  it("knows ports, inverters and wide multiplexers", () => {
    const n = netlist(
      [
        lut("l", 2, 1),
        { name: "i", type: "INV", in: { I: 2 }, out: { O: 3 } },
        { name: "m", type: "MUXF7", in: { I0: 3, I1: 1, S: 1 }, out: { O: 4 } },
      ],
      { a: 1 },
      { q: 4 },
    );
    expect(depths(n)).toEqual(["1+0 a > output q"]);
  });
  it("counts a read of distributed memory as one LUT, and goes through it from the read address only", () => {
    const memory = {
      name: "table.0.0",
      type: "RAM32M16",
      in: { ADDRA: [10], ADDRH: [11], DIA: [12], WCLK: 1000, WE: 13 },
      out: { DOA: [20] },
    };
    const n = netlist(
      [
        ff("f", 99, 1),
        lut("address", 10, 1),
        lut("w1", 14, 1),
        lut("w2", 12, 14),
        memory,
        lut("behind", 21, 20),
        ff("g", 21, 22),
      ],
      { a: 1, b: 22 },
    );
    expect(depths(n)).toEqual(["3+0 a > b", "2+0 a > table", "0+0 a"]);
  });
  it("goes up a carry chain, never down", () => {
    const carry = (low: number, high: number, o: readonly number[]): Parameters<typeof netlist>[0][number] => ({
      name: "c",
      type: "CARRY4",
      in: { CI: 50, CYINIT: 51, DI: [52, 53, 54, 55], S: [low, 56, 57, high] },
      out: { O: o, CO: [60, 61, 62, 63] },
    });
    const below = netlist(
      [ff("f", 99, 1), lut("l", 2, 1), carry(1, 2, [70, 71, 72, 73]), ff("g", 70, 80), ff("h", 73, 81)],
      { a: 1, low: 80, high: 81 },
    );
    expect(depths(below)).toEqual(["1+1 a > high", "0+1 low", "0+0 a"]);
  });
  // A chain of so many pieces: the carry of each goes into the next; a select goes in below, a sum comes out on top.
  const chainOf = (pieces: number, from: number, to: number, at: number): Parameters<typeof netlist>[0] =>
    Array.from({ length: pieces }, (_, i) => ({
      name: `c${at + i}`,
      type: "CARRY4",
      in: { CI: i === 0 ? 9000 + at : at + 10 * (i - 1) + 3, S: [i === 0 ? from : 9001, 9002, 9003, 9004] },
      out: { O: [9005, 9006, 9007, i === pieces - 1 ? to : 9008], CO: [0, 1, 2, 3].map(b => at + 10 * i + b) },
    }));
  const inDevice = (n: Parameters<typeof deepestPaths>[0]): string[] =>
    deepestPaths(n, 9, 2).map(p => `${p.levels}+${p.carries}=${depthOfPath(p)} ${p.nets.map(x => x.name).join(" > ")}`);
  it("ranks by LUTs and carries together: a long sum behind few LUTs is not hidden by more LUTs", () => {
    const luts = [lut("l1", 2, 1), lut("l2", 3, 2), lut("l3", 4, 3), lut("l4", 5, 4)],
      sum = [lut("s1", 20, 1), ...chainOf(8, 20, 30, 100), lut("s2", 31, 30)];
    const names = { a: 1, few: 5, long: 31, both: 61, q1: 50, q2: 51, q3: 62 };
    const apart = netlist([ff("f", 99, 1), ...luts, ...sum, ff("g", 5, 50), ff("h", 31, 51)], names);
    expect(inDevice(apart)).toEqual(["2+4=5 a > long > q2", "4+0=4 a > few > q1", "0+0=0 a"]);
    // Where the two ways meet, too; and the most LUTs stay known beside it.
    const meeting = netlist([ff("f", 99, 1), ...luts, ...sum, lut("m", 61, 5, 31), ff("g", 61, 62)], names);
    expect(inDevice(meeting)).toEqual(["3+4=6 a > long > both > q3", "0+0=0 a"]);
    expect([mostLevels(apart), mostLevels(meeting)]).toEqual([4, 5]);
  });
  it("counts two pieces of one chain as a block of the device, and a chain of its own as its own block", () => {
    const deep = (cells: Parameters<typeof netlist>[0]): string | undefined =>
      inDevice(netlist([ff("f", 99, 1), ...cells, ff("g", 30, 50)], { q: 50 }))[0]?.split(" ")[0];
    expect([1, 2, 3, 4, 5].map(n => deep(chainOf(n, 1, 30, 100)))).toEqual([
      "0+1=1",
      "0+1=1",
      "0+2=2",
      "0+2=2",
      "0+3=2",
    ]);
    const apart = [...chainOf(1, 1, 25, 100), ...chainOf(1, 25, 26, 200), ...chainOf(3, 26, 30, 300)];
    expect(deep(apart)).toBe("0+4=3");
    // From the upper piece of a block into the next one.
    const [low, ...upper] = chainOf(4, 999, 30, 100),
      entered = [low!, ...upper.map((c, i) => (i === 0 ? { ...c, in: { ...c.in, S: [1, 9002, 9003, 9004] } } : c))];
    expect(deep(entered)).toBe("0+2=2");
    // Where a piece is a block of the device, each counts.
    expect(deepestPaths(netlist([ff("f", 99, 1), ...chainOf(4, 1, 30, 100), ff("g", 30, 50)], { a: 1 }), 1)).toEqual([
      expect.objectContaining({ levels: 0, carries: 4 }),
    ]);
  });
  it("ends although mapped cells form a loop", () => {
    expect(depths(netlist([lut("l1", 1, 2), lut("l2", 2, 1), ff("f", 1, 3)], { q: 3 }))[0]).toMatch(/^\d\+0 /);
  });
  it("is nothing for an empty design", () => expect(depths(netlist([], {}))).toEqual([]));
});

it("area is LUTs, memories as the LUTs they take, and half block memories", () => {
  const cell = (name: string, type: string): Parameters<typeof netlist>[0][number] => ({ name, type, in: {}, out: {} });
  const types = [
    "LUT1",
    "LUT6",
    "LUT6",
    "INV",
    "RAM32M16",
    "RAM64M8",
    "RAM64X1D",
    "SRL16E",
    "FDRE",
    "FDSE",
    "RAMB36E2",
    "RAMB18E2",
    "URAM288",
    "DSP48E2",
    "CARRY8",
    "MUXF8",
  ];
  const area = areaOf(
    netlist(
      types.map((t, i) => cell(`c${i}`, t)),
      {},
    ),
  );
  expect(area).toEqual({ lut: 3, lutram: 18, srl: 1, ff: 2, latch: 0, bram: 1.5, uram: 1, dsp: 1 });
  expect(totalLuts(area)).toBe(22);
});

it("a place in the Verilog has the TypeScript line of its comment, or of the use of what is put together there", () => {
  const files = [
    {
      name: "t.v",
      text: "input wire a,\nwire b = a; // x.ts:7\nwire [1:0] c = {\n  a,\n  b\n};\nwire d = |c; // x.ts:9\n",
    },
  ];
  expect(["t.v:1", "t.v:2", "t.v:3", "t.v:99", "u.v:1", undefined].map(s => sourceLine(files, s))).toEqual([
    undefined,
    "x.ts:7",
    "x.ts:9",
    undefined,
    undefined,
    undefined,
  ]);
});
