import { expect, it } from "vitest";
import { paperTable } from "../../../../../designs/clio/evaluation/index.ts";

const figures = { lut: 7, ff: 37, bram: 0, uram: 0, dsp: 0, levels: 2, deepest: "held > all" };

it("the paper's table says what was not synthesized", () => {
  const text = paperTable({ Translate: figures });
  expect(text).toMatch(/^VirtMem +5\.5 % +12,672 +3 % +7 +0\.0 % +0\.0 % +8,000: reached +0\.0 % +2 +reached$/m);
  expect(text).toMatch(/^NetStack .*not synthesized/m);
  expect(text).toMatch(/^Go-Back-N .*not synthesized/m);
});
it("the whole is the total, whichever its build", () => {
  expect(paperTable({ ClioNodeGbn: figures })).toMatch(/^Total .* 7 +0\.0 %/m);
});
