/** Keys, launches and resets of the tasks that seal and open, beside their packets. */
import { expect } from "vitest";
import { bench } from "../../../../../bench.ts";
import { pathOf } from "../../region/support/payload-rig.ts";
import { opens, seals } from "./support/gcm-rig.ts";
import { keyChanges, relaunched, resetsBeside, rowsInARow } from "./support/scenes.ts";

for (const task of [seals, opens]) {
  const { name } = task.declared;
  bench(`${name}: a key changes beside packets`, pathOf([task]), { seed: 61 }, async b => {
    await keyChanges(b, task, 4);
    expect(b.cycle).toBeGreaterThan(2_000);
  });
  bench(`${name}: a row begins while another one is prepared`, pathOf([task]), { seed: 62 }, async b => {
    await rowsInARow(b, task);
    expect(b.cycle).toBeGreaterThan(2_000);
  });
  bench(`${name}: resets beside packets; no nonce comes twice`, pathOf([task]), { seed: 63 }, async b => {
    await resetsBeside(b, task, 4);
    expect(b.cycle).toBeGreaterThan(2_000);
  });
}
bench("a task that was switched off seals nothing until a new launch", pathOf([seals]), { seed: 64 }, async b => {
  await relaunched(b, seals);
  expect(b.cycle).toBeGreaterThan(1_000);
});
