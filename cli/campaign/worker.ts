/** The loop of a worker: an order comes, the piece runs, the answer goes. */
import { performance } from "node:perf_hooks";
import type { Answer, Order } from "./piece-contract.ts";
import { runPiece } from "./run-piece.ts";

process.on("message", (order: Order) => {
  const from = performance.now();
  void runPiece(order).then(outcome => {
    const answer: Answer = { ...outcome, seconds: (performance.now() - from) / 1000 };
    process.send?.(answer);
  });
});
// Without whoever gives orders there is nothing to do.
process.on("disconnect", () => process.exit());
process.send?.("ready");
