/** `npx tsx board/route.ts uart-echo.bin`: places and routes the echo, says what came of it, writes the bitstream. */
import { writeFileSync } from "node:fs";
import { clockMHz, route } from "./hx8k.ts";

const routed = await route(),
  file = process.argv[2];
console.log(`${routed.mhz.toFixed(1)} MHz after routing; the board's clock has ${clockMHz} MHz`);
console.log(`${routed.logicCells} logic cells of 7680, ${routed.memoryBlocks} memory blocks of 32`);
if (file !== undefined) writeFileSync(file, routed.bitstream);
