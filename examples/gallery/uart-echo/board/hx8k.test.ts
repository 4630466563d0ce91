import { expect, test } from "vitest";
import { clockMHz, route } from "./hx8k.ts";

/** Tools that run for half a minute: only on demand. */
const wanted = process.env["MNEMO_LONG"] !== undefined;
if (!wanted) console.warn("the echo is not placed and routed: MNEMO_LONG=1 does it");

test.skipIf(!wanted)("the echo is placed and routed for the iCE40-HX8K, faster than the board's clock", async () => {
  const routed = await route();
  expect(routed.mhz).toBeGreaterThan(clockMHz);
  expect(routed.logicCells).toBeLessThan(7680 / 10);
  expect(routed.memoryBlocks).toBeLessThanOrEqual(1);
  // A bitstream begins with its preamble, behind a comment.
  const bits = Buffer.from(routed.bitstream);
  expect(bits.indexOf(Buffer.from([0x7e, 0xaa, 0x99, 0x7e]))).toBeGreaterThanOrEqual(0);
});
