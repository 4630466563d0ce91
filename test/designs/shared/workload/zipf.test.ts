import { expect, it } from "vitest";
import { Zipf } from "../../../../designs/shared/workload/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

it("Zipf: the frequencies are those of 1 / rank^0.99", () => {
  const n = 50,
    draws = 200_000,
    zipf = new Zipf(n, 0.99, new Random(3)),
    count = new Array<number>(n).fill(0);
  for (let i = 0; i < draws; i++) {
    const k = zipf.next();
    count[k] = (count[k] ?? 0) + 1;
  }
  const sum = Array.from({ length: n }, (_, i) => (i + 1) ** -0.99).reduce((a, b) => a + b);
  for (const i of [0, 1, 9, 49]) expect((count[i] ?? 0) / draws).toBeCloseTo((i + 1) ** -0.99 / sum, 2);
});
