/** Pieces that take milliseconds and do as their options say. */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import type { PieceFunction } from "../../../../cli/campaign/piece-contract.ts";

/**
 * `log`: each start is a line with seed and process. `mode`: pass, fail, throw, nonsense, die, hang; `die-once` dies
 * the first time that its seed runs. `wait`: milliseconds.
 */
export const piece: PieceFunction = async ({ seed, count, options }) => {
  const { mode = "pass", log, wait = 0 } = options;
  if (log !== undefined) appendFileSync(String(log), `${seed} ${process.pid}\n`);
  if (mode === "fail") return { problems: [`seed ${seed} is odd`], figures: { count } };
  if (mode === "nonsense") return { figures: { rate: 0 / 0 } };
  if (mode === "throw") throw new Error(`thrown by ${seed}`);
  if (mode === "die") process.kill(process.pid, "SIGKILL");
  if (mode === "hang") for (;;);
  if (mode === "die-once" && !existsSync(`${log}.${seed}`)) {
    writeFileSync(`${log}.${seed}`, "");
    process.kill(process.pid, "SIGKILL");
  }
  if (Number(wait) > 0) await new Promise(done => setTimeout(done, Number(wait)));
  return { figures: { count, third: 1 / (1 + (seed % 97)) } };
};
