import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { layoutOf } from "../../../cli/draw/layout.ts";
import { svgOf } from "../../../cli/draw/svg.ts";
import { defaultDesign } from "../../../cli/design-named.ts";
import { type Link, type Part, type Structure, structureOf } from "../../../hdl-dsl/index.ts";
import { mnemo } from "../../support/command-line.ts";

const part = (kind: Part["kind"], name: string): Part => ({ kind, name, what: "" });
const structure = (parts: readonly Part[], links: readonly (readonly [number, number, Link["kind"]])[]): Structure => ({
  name: "t",
  parts,
  links: links.map(([f, t, kind]) => ({ from: parts[f]!, to: parts[t]!, kind, ports: [] })),
});
const columns = (s: Structure): Record<string, number> =>
  Object.fromEntries(layoutOf(s).places.map(p => [p.part?.name ?? "", p.layer]));

describe("columns", () => {
  it("streams go to the right, ports stand beside what they belong to", () => {
    const s = structure(
      [part("input", "rx"), part("instance", "a"), part("instance", "b"), part("output", "tx"), part("memory", "m")],
      [
        [0, 1, "stream"],
        [1, 2, "stream"],
        [2, 3, "stream"],
        [1, 4, "value"],
        [4, 2, "value"],
      ],
    );
    expect(columns(s)).toEqual({ rx: 0, a: 1, b: 2, tx: 3, m: 2 });
  });
  it("a circle of streams has one arrow back", () => {
    const s = structure(
      [part("instance", "a"), part("instance", "b"), part("instance", "c")],
      [
        [0, 1, "stream"],
        [1, 2, "stream"],
        [2, 0, "stream"],
      ],
    );
    expect(columns(s)).toEqual({ a: 0, b: 1, c: 2 });
    const back = layoutOf(s).routes.find(r => r.link.to.name === "a");
    expect(back?.points[0]?.[0]).toBeGreaterThan(back?.points.at(-1)?.[0] ?? 0);
  });
  it("a module of nothing, of one box and of a port that nothing is linked to can be drawn, too", () => {
    for (const s of [
      structure([], []),
      structure([part("instance", "a")], []),
      structure([part("input", "idle"), part("output", "open")], []),
    ])
      expect(svgOf(s)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("the drawing of a whole design", async () => {
  const whole = await defaultDesign.build([]),
    s = structureOf(whole),
    layout = layoutOf(s);
  it("has no two boxes on top of each other", () => {
    const boxes = layout.places;
    for (const a of boxes) {
      for (const b of boxes) {
        if (a === b || a.layer !== b.layer) continue;
        expect(a.y + a.height <= b.y || b.y + b.height <= a.y, `${a.part?.name} and ${b.part?.name}`).toBe(true);
      }
    }
  });
  it("shows every part and arrow inside the picture, the same bytes each time", () => {
    const svg = svgOf(s);
    expect(svg).toBe(svgOf(structureOf(whole)));
    for (const p of s.parts) expect(svg).toContain(`>${p.name}</text>`);
    expect(svg.match(/class="(?:stream|value)"/g)).toHaveLength(s.links.length);
    for (const p of layout.places)
      expect([p.x >= 0, p.y >= 0, p.x + p.width <= layout.width, p.y + p.height <= layout.height]).toEqual([
        true,
        true,
        true,
        true,
      ]);
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
      out: expect.stringMatching(/counter\.svg: Counter_width8, 3 parts, 0 arrows\n$/) as string,
      err: "",
    });
    expect(readFileSync(out, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect((await mnemo(["draw", "clio", "--part", "NetTx", "--out", out])).code).toBe(0);
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
