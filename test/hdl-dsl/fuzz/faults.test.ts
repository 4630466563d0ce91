/** The fuzz is worth its time: faults planted in the emitter are found, every one. */
import { expect, test } from "vitest";
import { faults } from "./faults.ts";
import { hunt } from "./mutants.ts";

// The limit is against a hang: a busy machine takes minutes.
test("every planted fault of the emitter is found within few programs", async () => {
  const hunts = await hunt(faults, 20261120, 400, 200);
  if (process.env["MNEMO_FUZZ"] !== undefined)
    console.log(
      hunts
        .map(h => `${h.fault}: ${h.found} of ${h.changed} changed programs, first after ${String(h.after)} random ones`)
        .join("\n"),
    );
  expect(hunts.filter(h => h.found === 0)).toEqual([]);
  expect(hunts.length).toBeGreaterThanOrEqual(20);
});
