import { expect, it } from "vitest";
import { emit } from "../../../hdl-dsl/index.ts";
import { crossbarDeadlock } from "../../../hdl-dsl/proofs/interconnect/crossbar-writes.ts";
import { planted, prove } from "../../../sim/index.ts";

it("a master that has writes at two slaves makes a deadlock, and the claim about deadlocks finds it", async () => {
  const { harness, circle } = crossbarDeadlock;
  const broken = await prove(
    { ports: harness.ports, emitted: planted(emit(harness), circle) },
    { bounded: 16, reach: 0 },
  );
  expect(broken.counterexample?.property?.message).toMatch(/^no deadlock/);
});
