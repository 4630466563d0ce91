import { expect } from "vitest";
import { Counter } from "../../../docs/examples/counter.ts";
import { bench } from "../../bench.ts";

bench("counts while enabled, and wraps", Counter({ width: 8 }), {}, async b => {
  b.io.en.value = 1;
  await b.cycles(301); // outputs read as before the edge: 300 edges have counted
  expect(b.io.count.value).toBe(300 % 256);
  b.io.clear.value = 1;
  await b.cycles(2);
  expect(b.io.count.value).toBe(0);
});
