/**
 * docs/gallery.md says what the designs are. `MNEMO_UPDATE=1 npx vitest run test/examples/gallery/page.test.ts`
 * measures those whose circuit has changed and writes the table.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gallery } from "./designs.ts";
import { circuitOf, type Figures, measure, root, table } from "./figures.ts";

const page = join(root, "docs/gallery.md"),
  kept = join(root, "test/examples/gallery/figures.json"),
  update = process.env["MNEMO_UPDATE"] !== undefined;
const begin = "<!-- table: begin -->\n",
  end = "\n<!-- table: end -->";
const figures = (): Record<string, Figures> => JSON.parse(readFileSync(kept, "utf8")) as Record<string, Figures>;

/** Keeps the figures, and puts the table into the page. */
function write(now: Readonly<Record<string, Figures>>): void {
  writeFileSync(kept, `${JSON.stringify(now, null, 2)}\n`);
  const text = readFileSync(page, "utf8"),
    from = text.indexOf(begin) + begin.length,
    to = text.indexOf(end, from - 1);
  writeFileSync(page, `${text.slice(0, from)}${table(now)}${text.slice(to)}`);
}
const measured = gallery.filter(e => figures()[e.name] !== undefined);

describe("the gallery's page", () => {
  it.runIf(update)("is measured anew", async () => {
    const now = figures();
    write(now);
    for (const e of gallery) {
      if ((await circuitOf(e)) === now[e.name]?.circuit) continue;
      now[e.name] = await measure(e);
      // What is cut off goes on from here.
      write(now);
    }
  });

  it("has every design that is there", () => {
    const there = readdirSync(join(root, "examples/gallery"), { withFileTypes: true }).filter(d => d.isDirectory());
    expect(gallery.map(e => e.name).sort()).toEqual(there.map(d => d.name).sort());
  });
  it("has the lines of each, and the figures that were measured", () => {
    expect(readFileSync(page, "utf8")).toContain(`${begin}${table(figures())}${end}`);
  });
  it.each(measured)("$name: the figures are of the circuit that it is now", async e => {
    expect(await circuitOf(e)).toBe(figures()[e.name]?.circuit);
  });
  it.each(measured)("$name: no path of more than eight levels", e => {
    expect(figures()[e.name]?.levels).toBeLessThanOrEqual(8);
  });
  it.each(gallery)("$name imports the package as a project of its own does", ({ name }) => {
    for (const folder of ["src", "test"])
      for (const file of readdirSync(join(root, "examples/gallery", name, folder))) {
        const text = readFileSync(join(root, "examples/gallery", name, folder, file), "utf8"),
          from = [...text.matchAll(/ from "([^"]+)"/g)].map(m => m[1] ?? "");
        const others = from.filter(f => !/^(?:mnemosyne(?:\/sim)?|vitest|node:\w+|\.\/.*|\.\.\/src\/.*)$/.test(f));
        expect(others, `${name}/${folder}/${file}`).toEqual([]);
      }
  });
});
