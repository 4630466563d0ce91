/**
 * The page of figures in a real browser, light and dark, as wide as a screen and as a phone. Nothing is wider than the
 * window, and no text of a drawing is cut off or runs into another. Only where there is a Chromium. MNEMO_FIGURES_PAGE
 * names a page to look at beside the made-up one, such as out/figures/clio-figures.html; MNEMO_SCREENSHOTS a folder
 * that keeps the pictures.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { escape } from "../../../cli/figures/report/format.ts";
import { htmlOf } from "../../../cli/figures/report/html.ts";
import { browse, chromium } from "./browser.ts";
import { madeUp } from "./made-up.ts";
import { picture } from "./png.ts";

/** Result of a look at a page in a frame. */
interface Look {
  readonly name: string;
  readonly ground: string;
  readonly wider: number;
  readonly drawings: number;
  readonly faults: readonly string[];
}

/**
 * Runs in the browser, hence plain JavaScript: examines each frame of the page that it stands in, and leaves its
 * findings there as text.
 */
const look = `
addEventListener("load", () => {
  const looks = [...document.querySelectorAll("iframe")].map((frame) => {
    const page = frame.contentDocument, root = page.documentElement, drawings = [...page.querySelectorAll(".drawing > svg")], faults = [];
    for (const svg of drawings) {
      const whole = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")].map((t) => ({ says: t.textContent, r: t.getBoundingClientRect() }));
      // A line's box is higher than its letters by about a seventh above and below.
      const inner = ({ r }) => ({ left: r.left, right: r.right, top: r.top + r.height / 7, bottom: r.bottom - r.height / 7 });
      for (const [i, t] of texts.entries()) {
        const a = inner(t);
        if (a.left < whole.left - .5 || a.right > whole.right + .5 || a.top < whole.top - .5 || a.bottom > whole.bottom + .5) faults.push('"' + t.says + '" is cut off');
        for (const u of texts.slice(i + 1)) {
          const b = inner(u);
          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) faults.push('"' + t.says + '" and "' + u.says + '" overlap');
        }
      }
    }
    return { name: frame.name, ground: getComputedStyle(page.body).backgroundColor, wider: root.scrollWidth - frame.clientWidth, drawings: drawings.length, faults };
  });
  document.body.append(Object.assign(document.createElement("pre"), { id: "looks", textContent: JSON.stringify(looks) }));
});`;

const widths = [
    ["screen", 1280],
    ["phone", 390],
  ] as const,
  grounds = { light: "#ffffff", dark: "#14171b" } as const,
  schemes = ["light", "dark"] as const;
const page = htmlOf(madeUp),
  extra = process.env["MNEMO_FIGURES_PAGE"] ?? "",
  kept = process.env["MNEMO_SCREENSHOTS"] ?? "";
const shown = extra === "" ? { name: "made up", html: page } : { name: "given", html: readFileSync(extra, "utf8") };
const pages = [["made up", page], ...(extra === "" ? [] : [[shown.name, shown.html] as const])] as const;
const drawingsOf = (html: string): number => html.split('<div class="drawing">').length - 1;
const rgb = (colour: string): string =>
  `rgb(${[1, 3, 5].map(i => Number.parseInt(colour.slice(i, i + 2), 16)).join(", ")})`;

const program = chromium();
if (program === undefined)
  console.log(
    "The page of figures is not looked at in a browser: no chromium, chromium-browser or google-chrome on the path; install one, or name one by MNEMO_CHROMIUM.",
  );

describe.skipIf(program === undefined)("in a browser (where there is a Chromium)", () => {
  let folder = "";
  const looks = new Map<string, Look>();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-page-"));
    const frame = (name: string, width: number, html: string): string =>
      `<iframe name="${name}" width="${width}" height="900" style="border:0" srcdoc="${escape(html)}"></iframe>`;
    const spoilt = page
      .replace(/(<text class="label"[^>]*>)(latency at)/, "$1a very long name of an axis, longer than it is high: $2")
      .replace(/(<text class="x" x=")[\d.]+("[^>]*>50<)/, "$1527$2");
    writeFileSync(
      join(folder, "host.html"),
      `<!doctype html><html style="color-scheme:light dark"><meta charset="utf-8"><body>${[
        ...pages.flatMap(([name, html]) => widths.map(([w, width]) => frame(`${name}, ${w}`, width, html))),
        frame("planted fault", 390, spoilt),
        frame("planted fault, wide", 390, page.replace("<h1>", '<h1 style="width:500px">')),
      ].join("")}<script>${look}</script></body></html>`,
    );
    for (const scheme of schemes) {
      const dom = await browse(program ?? "", scheme, ["--dump-dom", `file://${join(folder, "host.html")}`]),
        found = /<pre id="looks">(.*?)<\/pre>/s.exec(dom)?.[1] ?? "[]";
      for (const l of JSON.parse(
        found.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      ) as Look[])
        looks.set(`${scheme}, ${l.name}`, l);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(
    schemes.flatMap(scheme => pages.flatMap(([name, html]) => widths.map(([w]) => [scheme, name, w, html] as const))),
  )("%s, %s, %s: nothing is cut off, overlaps or is too wide", (scheme, name, w, html) => {
    const found = looks.get(`${scheme}, ${name}, ${w}`);
    expect(found).toEqual({
      name: `${name}, ${w}`,
      ground: rgb(grounds[scheme]),
      wider: found?.wider,
      drawings: drawingsOf(html),
      faults: [],
    });
    expect(found?.wider).toBeLessThanOrEqual(0);
  });
  it("planted faults: a name that is cut off, numbers that overlap and a page that is too wide are found", () => {
    const { faults = [] } = looks.get("light, planted fault") ?? {};
    expect(faults.some(f => /very long name.*is cut off/.test(f))).toBe(true);
    expect(faults).toContain('"50" and "100" overlap');
    expect(looks.get("dark, planted fault, wide")?.wider).toBeGreaterThan(100);
  });
  it.each(schemes)("%s: the picture of it is not empty, and has the page's ground", async scheme => {
    const into = kept === "" ? folder : resolve(kept),
      png = join(into, `figures-${scheme}.png`),
      source = join(folder, "page.html");
    mkdirSync(into, { recursive: true });
    writeFileSync(source, shown.html);
    await browse(program ?? "", scheme, [`--screenshot=${png}`, "--window-size=1280,1400", `file://${source}`]);
    const { width, height, at } = picture(readFileSync(png)),
      seen = new Set<string>();
    for (let y = 0; y < height; y += 5) for (let x = 0; x < width; x += 5) seen.add(at(x, y));
    expect([shown.name, width, height, at(2, 2)]).toEqual([shown.name, 1280, 1400, grounds[scheme]]);
    expect(seen.size).toBeGreaterThan(20);
  });
});
