/** T2 of paper 4.4.5 and the memory consistency of 4.3.1: the operations that a thread may have under way at a time. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { DependencyTracker, type Thread } from "../../../../designs/clio/client/index.ts";
import { opcode } from "../../../../designs/clio/wire/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { onNetwork, tenPercent } from "./rig.ts";
import { ScriptedNode } from "./scripted-node.ts";

afterEach(() => {
  vi.restoreAllMocks();
});
const page = 1n << 22n;

/** When each request of a program went out, with an answer 1,000 ns after each. */
async function departures(program: (t: Thread) => unknown): Promise<string[]> {
  const n = new ScriptedNode(),
    t = n.client.process(1, n.address).thread();
  // The greetings of the node's hardware and software, and what goes along with them.
  await n.time.run(t.rwrite(100n * page, Uint8Array.of(0)).then(() => t.rfree(100n * page, 1)));
  n.asked.length = 0;
  const from = n.time.now();
  program(t);
  await n.time.run(t.rrelease());
  const names = new Map<number, string>([
    [opcode.READ, "r"],
    [opcode.WRITE, "w"],
    [opcode.FREE, "free"],
    [opcode.ATOMIC_FAA, "faa"],
    [opcode.ATOMIC_STORE, "store"],
    [opcode.DEREF_READ, "deref"],
  ]);
  return n.asked.map(a => `${names.get(a.header.opcode) ?? "?"}@${(a.atNs - from) / 1000}`);
}
const one = Uint8Array.of(1);

describe("T2", () => {
  test.each<[string, (t: Thread) => unknown, string[]]>([
    ["two reads of a page go together", t => [t.rreadAsync(0n, 1), t.rreadAsync(1n, 1)], ["r@0", "r@0"]],
    [
      "WAW, WAR, RAW on a page wait",
      t => [t.rwriteAsync(0n, one), t.rwriteAsync(page - 1n, one), t.rreadAsync(5n, 1), t.rwriteAsync(6n, one)],
      ["w@0", "w@1", "r@2", "w@3"],
    ],
    [
      "different pages do not",
      t => [t.rwriteAsync(0n, one), t.rwriteAsync(page, one), t.rreadAsync(2n * page, 1)],
      ["w@0", "w@0", "r@0"],
    ],
    [
      "an access over a page's end depends on both pages",
      t => [t.rwriteAsync(page - 1n, new Uint8Array(2)), t.rreadAsync(page, 1), t.rreadAsync(0n, 1)],
      ["w@0", "r@1", "r@1"],
    ],
    [
      "what waits holds back what depends on it",
      t => [t.rwriteAsync(0n, one), t.rwriteAsync(page - 1n, new Uint8Array(2)), t.rreadAsync(page, 1)],
      ["w@0", "w@1", "r@2"],
    ],
    [
      "an access of many pages",
      t => [
        t.rreadAsync(0n, 1),
        t.rfreeAsync(0n, 3n * page),
        t.rwriteAsync(2n * page, one),
        t.rwriteAsync(3n * page, one),
      ],
      ["r@0", "w@0", "free@1", "w@2"],
    ],
    [
      "a synchronous call holds back all behind it, and waits for what it depends on only",
      t => [t.rwriteAsync(0n, one), t.rread(page, 1), t.rreadAsync(2n * page, 1), t.fetchAndAdd(0n, 1n)],
      ["w@0", "r@0", "r@1", "faa@1"],
    ],
    [
      "a release waits for all, and all behind it for the release",
      t => [t.rwriteAsync(0n, one), t.rreadAsync(page, 1), t.runlock(8n * page), t.rreadAsync(2n * page, 1)],
      ["w@0", "r@0", "store@1", "r@2"],
    ],
    ["a pointer may lead anywhere", t => [t.rwriteAsync(page, one), t.derefRead(0n, 1)], ["w@0", "deref@1"]],
  ])("%s", async (_what, program, expected) => {
    expect(await departures(program)).toEqual(expected);
  });

  test("two threads are not ordered", async () => {
    expect(await departures(t => [t.rwriteAsync(0n, one), t.process.thread().rwriteAsync(0n, one)])).toEqual([
      "w@0",
      "w@0",
    ]);
  });
});

/**
 * A thread's asynchronous writes and reads of few pages, in a program whose results are known.
 * @throws when one is not what the program says
 */
async function dependentProgram(seed: number): Promise<number> {
  return onNetwork({ seed, link: { ...tenPercent, reorder: 0.3 }, limitNs: 1e10 }, async ({ client, address }) => {
    const thread = (await client.createProcess(address)).thread(),
      va = await thread.ralloc(4n * page);
    const value = new Map<number, number>();
    let checked = 0;
    for (let round = 0; round < 30; round++) {
      const reads: { readonly at: number; readonly expected: number; readonly data: Promise<Uint8Array> }[] = [];
      for (let i = 0; i < 12; i++) {
        const at = (i * 7 + round) % 4,
          place = va + BigInt(at) * page;
        if (i % 3 === 2) {
          reads.push({ at, expected: value.get(at) ?? 0, data: thread.rreadAsync(place, 1).result });
          continue;
        }
        value.set(at, ((round * 12 + i) % 255) + 1);
        thread.rwriteAsync(place, Uint8Array.of(value.get(at) ?? 0));
      }
      const failed = await thread.rrelease().then(
        () => false,
        () => true,
      );
      if (failed) {
        // It is unknown which writes were done: begin anew from known values.
        for (const h of reads) h.data.catch(() => undefined);
        for (let at = 0; at < 4; at++) {
          while (
            !(await thread.rwrite(va + BigInt(at) * page, Uint8Array.of(7)).then(
              () => true,
              () => false,
            ))
          );
          value.set(at, 7);
        }
        continue;
      }
      for (const { at, expected, data } of reads) {
        const got = (await data)[0];
        if (got !== expected)
          throw new Error(`page ${at} reads ${got ?? "nothing"} in round ${round}, the program wrote ${expected}`);
        checked++;
      }
    }
    return checked;
  });
}

test("dependent asynchronous operations read what the program wrote, on a network that swaps, loses, doubles and damages", async () => {
  for (const seed of [1, 2, 3]) expect(await dependentProgram(seed)).toBeGreaterThan(20);
});
test("planted fault: without dependency tracking they do not", async () => {
  vi.spyOn(DependencyTracker.prototype, "conflicts").mockReturnValue([]);
  await findsFault(dependentProgram(1), /the program wrote/);
});
