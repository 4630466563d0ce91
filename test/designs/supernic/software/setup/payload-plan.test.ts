/** What a setup may not do with tasks that have payload. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { readSetup, type Setup } from "../../../../../designs/supernic/software/index.ts";

const sizes = deviceSizes(makeParameters({ ports: 2, regions: 4 }));
const setupOf = (regions: readonly (readonly string[])[], stage: readonly string[]): Setup =>
  readSetup(
    JSON.stringify({
      mac: "02:5a:00:00:00:ff",
      ip: "10.4.0.254",
      ports: [{}, {}],
      users: [{ name: "user" }],
      regions: regions.map((tasks, r) => ({ chain: `chain${r}`, tasks })),
      dags: [{ name: "dag", user: "user", uid: 0x401, stages: [stage.map(chain => ({ chain }))] }],
    }),
    "setup",
    sizes,
    name => taskNamed(name).declared,
  );

describe("tasks with payload in a setup", () => {
  it("a writer beside one that has nothing to do with payload is taken", () =>
    expect(setupOf([["xor"], ["dummy"]], ["chain0", "chain1"]).dags).toHaveLength(1));
  it("two writers side by side are refused", () =>
    expect(() => setupOf([["xor"], ["dummy", "xor"]], ["chain0", "chain1"])).toThrow(
      "dags[0].stages[0][1]: it uses payload, which dags[0].stages[0][0] beside it writes",
    ));
  it("three tasks with payload are refused", () =>
    expect(() => setupOf([["xor"], ["dummy"], ["xor", "xor"]], ["chain0"])).toThrow(
      "regions: 3 tasks have payload, and 2 may; leave regions[2].tasks[1] out",
    ));
});
