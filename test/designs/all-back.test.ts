/**
 * The benches of modules that hold a supply: each ends with a check that all of it is back (test/support/all-back.ts),
 * or says here what it does instead.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";

/** Parameters that say how many of something there are to be had. */
const supplies =
  /\bp\.(slots|contexts|lanes|outstanding|misses|waiting|managed|freePages|window|clients|sessions|releases)\b/;

const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const below = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter(f => f.endsWith(".ts"))
    .sort()
    .map(f => `${folder}/${f}`);

const sources = ["designs/clio/rtl", "designs/clio/offload", "designs/clio/offloads", "designs/shared"].flatMap(below);
/** A module's file with those of its parts, which are in the folder of its name. */
const withParts = (file: string): string =>
  [file, ...sources.filter(f => f.startsWith(file.replace(/\.ts$/, "/")))].map(textOf).join("\n");
/** Modules with a supply, by name. */
const holders = new Set(
  sources
    .filter(f => !f.includes("/proofs/") && supplies.test(withParts(f)))
    .flatMap(f => [...textOf(f).matchAll(/^export const (\w+) = module\(/gm)].map(m => m[1] ?? "")),
);

/** A bench with the files of its own folders that it imports, and those that they import. */
function whole(bench: string): string {
  const seen = new Set<string>(),
    open = [bench];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !existsSync(join(root, file))) continue;
    seen.add(file);
    for (const [, path = ""] of textOf(file).matchAll(/from "(\.[^"]+)"/g)) {
      const next = join(dirname(file), path);
      if (next.startsWith("test/designs")) open.push(next);
    }
  }
  return [...seen].map(textOf).join("\n");
}

const model = "a reference says in every cycle what is to be had",
  slots = "the bench owns the slots, and waits until each of them has come to its end",
  numbers = "it keeps things by number and gives none out",
  own = "it ends with a check of its own: every context and every access can be had at once",
  answered = "it ends when every request is answered, and nothing is kept or on its way",
  anew = "each round takes all slots anew";
/** Benches without the check, and why. */
const without: Readonly<Record<string, string>> = {
  "test/designs/clio/offload/request-order.test.ts": model,
  "test/designs/clio/offload/slot-resets.test.ts": own,
  "test/designs/clio/offloads/kv-replies.test.ts": numbers,
  "test/designs/clio/rtl/dispatch/fence.test.ts": slots,
  "test/designs/clio/rtl/dispatch/finish.test.ts": slots,
  "test/designs/clio/rtl/dispatch/mat.test.ts": slots,
  "test/designs/clio/rtl/network/keyed-net-rx.test.ts": slots,
  "test/designs/clio/rtl/network/net-rx.test.ts": slots,
  "test/designs/clio/rtl/network/net-stack.test.ts": slots,
  "test/designs/clio/rtl/network/net-tx.test.ts": slots,
  "test/designs/clio/rtl/network/reply-contexts.test.ts": numbers,
  "test/designs/clio/rtl/retry/retry-buffer.test.ts": slots,
  "test/designs/clio/rtl/retry/retry-clients.test.ts": model,
  "test/designs/clio/rtl/retry/retry-places.test.ts": slots,
  "test/designs/clio/rtl/retry/retry-rare.test.ts": slots,
  "test/designs/clio/rtl/retry/retry-sweep.test.ts": numbers,
  "test/designs/clio/rtl/retry/retry-turns.test.ts": slots,
  "test/designs/clio/rtl/retry/retry-waits.test.ts": slots,
  "test/designs/clio/rtl/slow-path/slow-rx.test.ts": slots,
  "test/designs/clio/rtl/sync/sync-words.test.ts": model,
  "test/designs/clio/rtl/transport/gbn-peers.test.ts": numbers,
  "test/designs/clio/rtl/transport/gbn-tx-still.test.ts": answered,
  "test/designs/clio/rtl/transport/gbn-tx.test.ts": answered,
  "test/designs/shared/frame/frame-buffer.test.ts": numbers,
  "test/designs/shared/frame/slot-pool.test.ts": model,
  "test/designs/shared/frame/slot-words.test.ts": numbers,
  "test/designs/shared/go-back-n/rtl/receiver.test.ts": numbers,
  "test/designs/shared/go-back-n/rtl/reorder-patience.test.ts": anew,
  "test/designs/shared/go-back-n/rtl/resend.test.ts": numbers,
  "test/designs/shared/go-back-n/rtl/waiting.test.ts": numbers,
  "test/designs/shared/virtual-memory/rtl/miss-table.test.ts": model,
  "test/designs/shared/virtual-memory/rtl/table-walk.test.ts": numbers,
};
/** Benches that build a module with a supply, as their text says. */
const benches = [
  "test/designs/clio/rtl",
  "test/designs/clio/offload",
  "test/designs/clio/offloads",
  "test/designs/shared",
]
  .flatMap(below)
  .filter(f => f.endsWith(".test.ts"))
  .filter(f => {
    const text = whole(f);
    return [...holders].some(h => new RegExp(`\\b${h}\\(`).test(text));
  });
const lacking = benches.filter(f => !/support\/all-back\.ts"/.test(whole(f)));

test("there are benches of modules with a supply, and some have the check", () => {
  expect(holders.size).toBeGreaterThan(20);
  expect(benches.length - lacking.length).toBeGreaterThanOrEqual(5);
});
test("every other bench says why it lacks the check, and none says so that has it", () => {
  expect([...lacking].sort()).toEqual(Object.keys(without).sort());
});
