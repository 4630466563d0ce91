import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { accessBody, dissect } from "../../../../../designs/clio/wire/index.ts";
import { writePcap } from "../../../../../sim/index.ts";
import { played, type Played } from "./played.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-setup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const page = 4 * 2 ** 20,
  client = (): FrameClient => new FrameClient(clientEndpoint(0), makeSettings().runtime);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Plays frames, 2 us apart, on a node that is set up. */
function run(setup: unknown, frames: readonly Uint8Array[], args: readonly string[] = []): Promise<Played> {
  const capture = join(folder, "in.pcap"),
    file = join(folder, "setup.json");
  writeFileSync(capture, writePcap(frames.map((bytes, i) => ({ timeNs: BigInt(i) * 2000n, bytes }))));
  writeFileSync(file, JSON.stringify(setup));
  return played(capture, ["--setup", file, ...args]);
}
const data = (r: Played, i: number): Uint8Array =>
  dissect(r.replies[i]?.bytes ?? new Uint8Array()).body?.slice(accessBody.bytes) ?? new Uint8Array();

it("processes, mappings with permissions, and memory contents across a page boundary are there from the first frame on", async () => {
  const c = client(),
    base = 16n * BigInt(page),
    across = base + BigInt(page) - 3n;
  const r = await run(
    {
      processes: [{ pid: 7 }, { pid: 300 }],
      mappings: [
        { pid: 7, address: Number(base), length: 2 * page },
        { pid: 300, address: `0x${base.toString(16)}`, length: String(page), write: false },
      ],
      memory: [
        { pid: 7, address: Number(across), text: "hello" },
        { pid: 300, address: Number(base), hex: "0102 ff" },
      ],
    },
    [
      c.read(7, across, 5),
      c.read(300, base, 4),
      c.write(300, base, Uint8Array.of(1)),
      c.read(7, base, 2),
      c.read(8, base, 1),
    ],
  );
  expect(r.code, r.out).toBe(0);
  expect(r.rows.map(x => x.outcome)).toEqual(["OK", "OK", "WRITE_PERM", "OK", "INVALID"]);
  expect(text(data(r, 0))).toBe("hello");
  expect([...data(r, 1)]).toEqual([1, 2, 255, 0]);
  // Pages with contents have their frames; nothing faulted.
  expect((r.stats["counters"] as Record<string, number>)["pageFaults"]).toBe(0);
});

it("few free pages: once they are gone a first touch gets OUT_OF_MEMORY, and what is there stays usable", async () => {
  const c = client(),
    base = 16n * BigInt(page),
    at = (i: number): bigint => base + BigInt(i * page);
  const r = await run(
    { freePages: 3, mappings: [{ pid: 1, address: Number(base), length: 8 * page }] },
    [0, 1, 2, 3, 4, 0].map(i => c.write(1, at(i), Uint8Array.of(i))),
  );
  expect(r.code, r.out).toBe(0);
  expect(r.rows.map(x => x.outcome)).toEqual(["OK", "OK", "OK", "OUT_OF_MEMORY", "OUT_OF_MEMORY", "OK"]);
});

it("the models' latencies; --set comes before the file", async () => {
  const c = client(),
    base = 16n * BigInt(page),
    mappings = [{ pid: 1, address: Number(base), length: page, populate: true }];
  const frames = (): Uint8Array[] => [c.read(1, base, 8), c.read(1, base, 8), c.createProcess()];
  const slow = await run({ mappings, dramLatency: 80, slowPathLatency: "4us" }, frames());
  const fast = await run({ mappings, dramLatency: 80, slowPathLatency: "4us" }, frames(), ["--set", "dramLatency=20"]);
  const hit = (r: Played): number => r.rows[1]?.cycles ?? 0;
  expect(hit(slow) - hit(fast)).toBe(60);
  expect(slow.rows[2]?.cycles).toBeGreaterThan(1000);
  expect(slow.stats["settings"]).toMatchObject({ dramLatency: 80, slowPathLatency: 4000 });
});

it("what cannot be set up is one sentence", async () => {
  const twice = await run({ processes: [{ pid: 1 }, { pid: 1 }] }, [client().arp()]);
  expect([twice.code, twice.err]).toEqual([2, "mnemo: setup: processes[1]: PID 1 is there already; name each once\n"]);
  const nowhere = await run({ memory: [{ pid: 1, address: 64, text: "x" }] }, [client().arp()]);
  expect([nowhere.code, nowhere.err]).toEqual([
    2,
    'mnemo: setup: memory[0]: 0x40 of PID 1 has no page; map it in "mappings", with physical pages left for it\n',
  ]);
  const overlap = await run(
    {
      mappings: [
        { pid: 1, address: page, length: 2 * page },
        { pid: 1, address: 2 * page, length: page },
      ],
    },
    [client().arp()],
  );
  expect([overlap.code, overlap.err]).toEqual([
    2,
    "mnemo: setup: mappings[1]: 4194304 bytes at 0x800000 for PID 1 overlap another mapping or overflow a bucket of the page table; 0xc00000 would be free\n",
  ]);
});
