import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Box, type Layout, layoutOf, type Point } from "../../../cli/draw/layout.ts";
import { drawingPage } from "../../../cli/draw/page.ts";
import { svgOf } from "../../../cli/draw/svg.ts";
import { buildOf, defaultDesign } from "../../../cli/design-named.ts";
import { type Link, type Part, type Structure, structureOf, structuresOf } from "../../../hdl-dsl/index.ts";
import { mnemo } from "../../support/command-line.ts";

const part = (kind: Part["kind"], name: string): Part => ({ kind, name, what: "" });
const structure = (parts: readonly Part[], links: readonly (readonly [number, number, Link["kind"]])[]): Structure => ({
  name: "t",
  parts,
  links: links.map(([f, t, kind]) => ({ from: parts[f]!, to: parts[t]!, kind, ports: [], outs: [] })),
});

/** Boxes that lie on one another. */
const overlaps = (l: Layout): string[] =>
  l.boxes.flatMap((a, i) =>
    l.boxes
      .slice(i + 1)
      .filter(b => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
      .map(b => `${a.part.name} and ${b.part.name}`),
  );
/** Wires that do not go from the right side of one box to the left side of the other, with right angles only. */
function loose(l: Layout): string[] {
  const boxOf = (p: Part): Box => l.boxes.find(b => b.part === p)!;
  const on = ([x, y]: Point, side: number, b: Box): boolean => Math.abs(x - side) <= 1 && y > b.y && y < b.y + b.height;
  return l.wires
    .filter(({ link, points }) => {
      const first = points[0],
        last = points.at(-1),
        from = boxOf(link.from);
      const square = points.every(([x, y], i) => i === 0 || x === points[i - 1]![0] || y === points[i - 1]![1]);
      const tied =
        first !== undefined &&
        last !== undefined &&
        on(first, from.x + from.width, from) &&
        on(last, boxOf(link.to).x, boxOf(link.to));
      return !(square && tied);
    })
    .map(w => `${w.link.from.name} to ${w.link.to.name}`);
}
/** Wires of one box's side that are not in the order of the box's ports, or share a place. */
function disordered(l: Layout): string[] {
  return l.boxes.flatMap(({ part: p }) =>
    (["from", "to"] as const).flatMap(way => {
      const ends = l.wires
        .filter(w => w.link[way] === p)
        .map(w => ({
          y: (way === "from" ? w.points[0]! : w.points.at(-1)!)[1],
          port: Math.min(...(way === "from" ? w.link.outs : w.link.ports).map(n => p.ports?.indexOf(n) ?? 0)),
        }))
        .sort((a, b) => a.y - b.y);
      return ends.some(
        (e, i) => i > 0 && (e.port < ends[i - 1]!.port || (p.ports !== undefined && e.y === ends[i - 1]!.y)),
      )
        ? [p.name]
        : [];
    }),
  );
}
const leftOf = (l: Layout, name: string): number => l.boxes.find(b => b.part.name === name)!.x;

describe("the layout", () => {
  it("streams go to the right, ports of the module stand at its edges", async () => {
    const l = await layoutOf(
      structure(
        [part("input", "rx"), part("instance", "a"), part("instance", "b"), part("output", "tx"), part("memory", "m")],
        [
          [0, 1, "stream"],
          [1, 2, "stream"],
          [2, 3, "stream"],
          [1, 4, "value"],
          [4, 2, "value"],
        ],
      ),
    );
    const order = ["rx", "a", "m", "b", "tx"].map(n => leftOf(l, n));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect([overlaps(l), loose(l)]).toEqual([[], []]);
  });
  it("a circle of streams has one arrow back", async () => {
    const l = await layoutOf(
      structure(
        [part("instance", "a"), part("instance", "b"), part("instance", "c")],
        [
          [0, 1, "stream"],
          [1, 2, "stream"],
          [2, 0, "stream"],
        ],
      ),
    );
    const back = l.wires.filter(w => w.points[0]![0] > w.points.at(-1)![0]);
    expect(back).toHaveLength(1);
    expect(loose(l)).toEqual([]);
  });
  it("a box's wires stand in the order of its ports, whatever order they were found in", async () => {
    const many = { ...part("instance", "a"), ports: ["p0", "p1", "p2", "q0", "q1"] },
      ends = [part("input", "x"), part("input", "y"), part("input", "z"), part("output", "u"), part("output", "v")];
    const s: Structure = {
      name: "t",
      parts: [many, ...ends],
      links: [
        { from: ends[0]!, to: many, kind: "value", ports: ["p2"], outs: [] },
        { from: ends[1]!, to: many, kind: "stream", ports: ["p0"], outs: [] },
        { from: ends[2]!, to: many, kind: "value", ports: ["p1"], outs: [] },
        { from: many, to: ends[3]!, kind: "value", ports: [], outs: ["q1"] },
        { from: many, to: ends[4]!, kind: "value", ports: [], outs: ["q0"] },
      ],
    };
    const l = await layoutOf(s);
    expect(disordered(l)).toEqual([]);
    const planted = {
      ...l,
      wires: l.wires.map((w, i) => ({ ...w, points: l.wires[i === 0 ? 1 : i === 1 ? 0 : i]!.points })),
    };
    expect(disordered(planted)).toEqual(["a"]);
  });
  it("a module of nothing, of one box and of a port that nothing is linked to can be drawn, too", async () => {
    for (const s of [
      structure([], []),
      structure([part("instance", "a")], []),
      structure([part("input", "idle"), part("output", "open")], []),
    ])
      expect(await svgOf(s)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the drawing of a whole design", async () => {
  const whole = await buildOf(defaultDesign, "draw")([]),
    all = structuresOf(whole),
    s = structureOf(whole),
    layout = await layoutOf(s);
  it("has no two boxes on top of each other, wires from port to port, and ports in their order, in every module", async () => {
    for (const each of all) {
      const l = await layoutOf(each);
      expect([each.name, overlaps(l), loose(l), disordered(l)]).toEqual([each.name, [], [], []]);
    }
  });
  it("planted faults: a box that is moved, and a wire that ends beside its port", () => {
    const [a, b] = layout.boxes.filter(x => x.part.kind === "instance");
    const moved = { ...layout, boxes: layout.boxes.map(x => (x === a ? { ...x, x: b!.x + 5, y: b!.y + 5 } : x)) };
    expect(overlaps(moved).join()).toContain(a!.part.name);
    expect(loose(moved)).not.toEqual([]);
    const [first, ...rest] = layout.wires;
    expect(loose({ ...layout, wires: [{ ...first!, points: first!.points.slice(0, -1) }, ...rest] })).toHaveLength(1);
  });
  it("shows every part and arrow inside the picture, the same bytes each time", async () => {
    const svg = await svgOf(s);
    expect(svg).toBe(await svgOf(structureOf(whole)));
    for (const p of s.parts) expect(svg).toContain(`>${p.name}</text>`);
    expect(svg.match(/class="(?:stream|value)"/g)).toHaveLength(s.links.length);
    for (const p of layout.boxes)
      expect([p.x >= 0, p.y >= 0, p.x + p.width <= layout.width, p.y + p.height <= layout.height]).toEqual([
        true,
        true,
        true,
        true,
      ]);
  });
  it("as a page has every module once, and a click on a box leads to its module", async () => {
    const page = await drawingPage(all);
    expect(page).toBe(await drawingPage(structuresOf(whole)));
    const sections = [...page.matchAll(/<section id="([^"]*)"/g)].map(m => m[1]);
    expect(sections).toEqual(all.map(x => x.name));
    const leads = [...page.matchAll(/href="#([^"]*)"/g)].map(m => m[1]);
    expect(leads.filter(to => !sections.includes(to))).toEqual([]);
    // Every module but the first is reached from another.
    const boxes = [...page.matchAll(/<a href="#([^"]*)" class="open"/g)].map(m => m[1]);
    expect(sections.slice(1).filter(name => !boxes.includes(name))).toEqual([]);
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
  });
});

describe("a module without instances", () => {
  it("has boxes for its registers, and below it what is left out", async () => {
    const registers = { ...structure([part("register", "count"), part("output", "level")], [[0, 1, "value"]]) };
    const svg = await svgOf({ ...registers, note: "25 registers are left out" });
    expect(svg).toContain('class="register"');
    expect(svg).toContain(">25 registers are left out</text>");
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(await svgOf(registers)).not.toContain("left out");
  });
});

describe("mnemo draw", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-draw-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("writes the picture of a module of one's own, or of a part of the node", async () => {
    const out = join(folder, "counter.svg");
    expect(await mnemo(["draw", "docs/examples/counter.ts", "--set", "width=8", "--out", out])).toEqual({
      code: 0,
      out: expect.stringMatching(/counter\.svg: Counter_width8, 4 parts, 3 arrows\n$/) as string,
      err: "",
    });
    expect(readFileSync(out, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect((await mnemo(["draw", "clio", "--part", "NetTx", "--out", out])).code).toBe(0);
  });
  it("writes a page of a design's modules", async () => {
    const out = join(folder, "translate.html");
    expect(await mnemo(["draw", "clio", "--part", "Translate", "--out", out])).toEqual({
      code: 0,
      out: expect.stringMatching(/translate\.html: Translate\w*, \d+ parts, \d+ arrows; \d+ modules\n$/) as string,
      err: "",
    });
    expect(readFileSync(out, "utf8")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  });
  it.each([
    [["draw", "clio", "--part", "Nothing"], "clio has no module Nothing; it has ClioNode, "],
    [["draw", "clio", "--module", "X"], "name a module inside clio with --part"],
    [["draw", "no.ts"], "no.ts: there is no such file"],
  ])("refuses %j", async (args, message) => {
    const { code, err } = await mnemo([...args, "--out", join(folder, "x.svg")]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
