/**
 * The page of figures by itself, of made-up plots of every kind. The page is whole and readable, and each fault that it
 * can have is found. No node is simulated.
 */
import { describe, expect, it } from "vitest";
import { type Axis, reportSchema } from "../../../designs/shared/evaluation/index.ts";
import { htmlOf } from "../../../cli/figures/report/html.ts";
import { lines, madeUp as report } from "./made-up.ts";
import { contrast, faultsOf } from "./page-faults.ts";

const page = htmlOf(report);

it("is whole", () => expect(faultsOf(page, report)).toEqual([]));
it("needs nothing from elsewhere", () =>
  expect(page).not.toMatch(/<script|<link|src=|https?:|url\(|@import|NaN|undefined|Infinity/));

describe("planted faults: each is found", () => {
  const replaced = (from: string | RegExp, to: string): string => {
    const changed = page.replace(from, to);
    if (changed === page) throw new Error(`the page has no ${String(from)}: plant the fault in text that is there`);
    return changed;
  };
  it.each<readonly [fault: string, html: () => string, found: RegExp]>([
    [
      "an axis without its unit",
      () => replaced(/(<text class="label"[^>]*>)rows that match \(%\)/, "$1rows that match"),
      /no axis says "rows that match \(%\)"/,
    ],
    [
      "no numbers at a vertical axis",
      () => page.replaceAll('<text class="y"', '<text class="z"'),
      /vertical axis has fewer than two numbers/,
    ],
    [
      "no numbers at a horizontal axis",
      () => page.replaceAll('<text class="x"', '<text class="z"'),
      /horizontal axis has fewer than two numbers/,
    ],
    [
      "a key without one of its series",
      () => replaced(/<li><svg viewBox="0 0 34 18".*?<\/li>/s, ""),
      /the key names 8 of 9 series/,
    ],
    ["a point that is not drawn", () => replaced(/<circle[^>]*>.*?<\/circle>/s, ""), /98 of 99 points are drawn/],
    ["a mark outside of the drawing", () => replaced(/cx="[\d.]+"/, 'cx="-7"'), /a mark lies at -7/],
    ["a number missing in a table", () => replaced(/<td>100 000<\/td>/, ""), /the table does not have every number/],
    [
      "a line of the paper without words",
      () => replaced(/<text class="says".*?<\/text>/, ""),
      /"the paper: 494 ns" has no words/,
    ],
    [
      "the paper's words missing",
      () => replaced(/<blockquote>.*?<\/blockquote>/s, ""),
      /4\.4: the paper's words are missing/,
    ],
    ["no standing", () => page.replaceAll("badge calibrated", "badge"), /4\.4: it does not say how it came about/],
    ["no reason", () => replaced("no Watt", ""), /4\.21: it does not say why/],
    [
      "a figure that is not among the contents",
      () => page.replaceAll('href="#f4.21"', ""),
      /4\.21: it is not among the contents/,
    ],
    ["a figure that is not there", () => replaced('<section id="f4.21">', "<section>"), /4\.21: it is not on the page/],
    [
      "a number that is cut off at the right",
      () => replaced(/(<text class="x" x=")[\d.]+("[^>]*>1M)/, "$1555$2"),
      /"1M" is cut off/,
    ],
    [
      "numbers that run into each other on a phone only",
      () => replaced(/(<text class="x" x=")[\d.]+("[^>]*>50<)/, "$1510$2"),
      /^figure 4\.4: "50" and "100" overlap at 17 px$/,
    ],
    [
      "faint text in dark",
      () => replaced(/(prefers-color-scheme:dark\)\{:root\{.*?--soft:)#\w+/, "$1#60666e"),
      /dark: --soft on --page has a contrast of 3\.\d+, less than 4.5/,
    ],
    [
      "a faint line in light",
      () => replaced(/--c5:#\w+/, "--c5:#7fb8e0"),
      /light: --c5 on --box has a contrast of [12]\.\d+, less than 3/,
    ],
    [
      "no colours for dark",
      () => replaced("prefers-color-scheme:dark", "prefers-color-scheme:no-preference"),
      /dark: --text on --page has a contrast of 0\.00/,
    ],
    ["no style for print", () => replaced("@media print", "@media other"), /no style for print/],
    [
      "no size of text for a phone",
      () => replaced(/@media \(max-width:30rem\)\{svg text\{[^}]*\}/, "@media (max-width:30rem){"),
      /a size for a page and one for a phone/,
    ],
  ])("%s", (_, html, found) => {
    const faults = faultsOf(html(), report);
    expect(faults.filter(f => found.test(f))).not.toEqual([]);
  });
});

it("contrast is WCAG's: 21 of black and white, 4.48 of #777777 on white", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
});
it("a curve that lies on another one says so in the key, and no other does", () => {
  expect([...page.matchAll(/same as ([^<]*)</g)].map(([, name]) => name)).toEqual(["curve 0"]);
});
it("a paper's number stands where no point is in its way", () => {
  // The curves at 496 run above the line from end to end: its words stand below it.
  const [, line = "", words = ""] =
    /class="reference"[^>]*M[\d.]+ ([\d.]+)H.*?<text class="says"[^>]* y="([\d.]+)"/.exec(page) ?? [];
  expect(Number(words)).toBeGreaterThan(Number(line));
});
it("an axis of numbers without a unit is refused, unless it counts", () => {
  const withAxis = (x: Axis): boolean =>
    reportSchema.safeParse({ ...report, figures: [{ ...report.figures[0], plots: [lines("", x, [1], [1])] }] }).success;
  expect([
    withAxis({ label: "bytes", scale: "log2" }),
    withAxis({ label: "number of bytes", scale: "log2" }),
    withAxis({ label: "data", unit: "bytes", scale: "log2" }),
  ]).toEqual([false, true, true]);
});
