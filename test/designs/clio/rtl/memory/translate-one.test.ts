/** Page faults of the narrowed node, with a memory that refuses the entry: no frame is lost or given twice. */
import { describe, expect, test } from "vitest";
import { status } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, type BenchOptions, legalMemories, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, frameCount, type OneOptions, OneRig, type Page, pageSize, type Ports } from "./support/one-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

type B = Bench<Ports>;
const options: BenchOptions = { hangCycles: 5000, limitCycles: 300_000 };
const { OK, FAIL } = status;

/** So many refusals of one entry, from both sides of the bound; each page's next access finds the memory whole. */
async function bounds(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o);
  for (const refusals of [0, 1, 15, 16]) {
    const page = rig.page(),
      frame = await rig.nextFrame();
    rig.refusals = refusals;
    const first = await rig.counted(page, true),
      fails = refusals === 16;
    expect(first, `${refusals} refusals`).toEqual(
      fails ? { status: FAIL, ppns: [], writes: 16 } : { status: OK, ppns: [frame], writes: refusals + 1 },
    );
    rig.refusals = 0;
    expect(await rig.counted(page), `after ${refusals} refusals`).toEqual({
      status: OK,
      ppns: [frame],
      writes: fails ? 1 : 0,
    });
  }
  await rig.finish();
}

/** Each frame in turn is refused with some pages; then a page has it. All frames have been tried in the end. */
async function everyFrame(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o),
    had: number[] = [];
  for (let n = 0; n < frameCount; n++) {
    const frame = await rig.nextFrame();
    for (const page of rig.pages(1 + (n % 3))) {
      rig.refusals = 16;
      expect(await rig.counted(page), `frame ${n} refused`).toEqual({ status: FAIL, ppns: [], writes: 16 });
    }
    const answer = await rig.one(rig.page());
    expect(answer, `frame ${n} taken`).toEqual({ status: OK, ppns: [frame] });
    had.push(frame);
  }
  expect(new Set(had).size, "frames that were tried").toBe(frameCount);
  await rig.finish();
}

/** A memory that takes what it refuses: the page has its frame, and no other page has it. */
async function takenAllTheSame(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o);
  rig.takesRefused = true;
  for (let n = 0; n < 4; n++) {
    const [page, other] = rig.pages(2) as [Page, Page],
      frame = await rig.nextFrame();
    rig.refusals = 16;
    expect(await rig.counted(page, n % 2 === 0)).toEqual({ status: OK, ppns: [frame], writes: 16 });
    expect(rig.frameOf(page)).toBe(frame);
    expect((await rig.one(other)).ppns).not.toEqual([frame]);
  }
  await rig.finish();
}

/**
 * Behind the refusals the bucket cannot be read, so nobody knows whether the memory has the entry. Until it can be
 * read, pages with a frame go on, and no page gets one. Then the page has its frame or another one has it.
 */
async function unknown(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o);
  for (const takes of [false, true])
    for (const frees of [false, true]) {
      const [page, known, other] = rig.pages(3) as [Page, Page, Page],
        mapped = await rig.one(known),
        frame = await rig.nextFrame(),
        where = `${takes ? "taken" : "not taken"}, ${frees ? "freed" : "asked again"}`;
      Object.assign(rig, { refusals: 16, takesRefused: takes, losesReads: true });
      expect(await rig.counted(page, true), where).toEqual({ status: FAIL, ppns: [], writes: 16 });
      expect(await rig.one(known), `a page in the TLB: ${where}`).toEqual(mapped);
      for (const p of [other, page])
        expect(await rig.counted(p), `unreadable: ${where}`).toEqual({ status: FAIL, ppns: [], writes: 0 });
      Object.assign(rig, { unreadable: undefined, losesReads: false });
      if (frees) await rig.unmap(page);
      else expect(await rig.one(page), where).toEqual({ status: OK, ppns: [frame] });
      const next = await rig.one(other);
      expect(next.status).toBe(OK);
      expect(next.ppns[0] === frame, `another page has the frame: ${where}`).toBe(frees && !takes);
      for (const p of frees ? [known, other] : [page, known, other]) await rig.unmap(p);
    }
  await rig.finish();
}

/** An access is refused from the first byte on that lies in the page behind, which nobody has mapped. */
async function lastBytes(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o),
    page = rig.page(),
    has = await rig.one(page);
  expect(has.status).toBe(OK);
  for (const length of [1, 2, 8, 64, pageSize])
    for (const past of [-1, 0, 1, length - 1].filter(n => n < length && n > -length)) {
      const offset = pageSize - length + past;
      if (offset < 0) continue;
      expect((await rig.one(page, false, { offset, length })).status, `${length} bytes from ${offset} on`).toBe(
        past > 0 ? status.INVALID : OK,
      );
    }
  await rig.finish();
}

/** No look at which frame is given: what is lost or given twice, the check at the end is to find. */
async function answersOnly(b: B, o: OneOptions): Promise<void> {
  const rig = new OneRig(b, o);
  for (const refusals of [15, 16, 16]) {
    rig.refusals = refusals;
    expect((await rig.one(rig.page())).status, `${refusals} refusals`).toBe(refusals < 16 ? OK : FAIL);
    rig.refusals = 0;
  }
  await rig.finish();
}

/** Refusals, memories that take what they refuse, that cannot be read for a while, pages freed, and resets. */
async function mixed(b: B, o: OneOptions, accesses = 300): Promise<void> {
  const rig = new OneRig(b, o),
    { random } = b,
    pages = [...rig.pages(frameCount - 2)],
    seen = { ok: 0, fail: 0, resets: 0, freed: 0 };
  for (let n = 0; n < accesses; n++) {
    if (random.chance(0.3)) rig.refusals = random.pick([1, 15, 16, 17, 40]);
    rig.takesRefused = random.chance(0.3);
    rig.losesReads = random.chance(0.2);
    if (random.chance(0.5)) rig.unreadable = undefined;
    const at = random.between(0, pages.length - 1),
      page = pages[at] as Page;
    if (random.chance(0.05)) {
      rig.ask(page);
      await b.cycles(random.between(1, 200));
      await rig.reset();
      seen.resets++;
    } else if (random.chance(0.3) && rig.unreadable === undefined) {
      const { refusals } = rig;
      rig.refusals = 0;
      await rig.unmap(page);
      rig.refusals = refusals;
      pages[at] = rig.page();
      seen.freed++;
    } else {
      const { status, ppns } = await rig.one(page, random.chance(0.5));
      if (status === OK) {
        seen.ok++;
        expect(ppns, "the frame that the table says").toEqual([rig.frameOf(page)]);
      } else {
        seen.fail++;
        expect(status).toBe(FAIL);
      }
    }
  }
  expect(Math.min(seen.ok, seen.fail, 5 * seen.resets, seen.freed)).toBeGreaterThan(accesses / 30);
  await rig.finish();
}

const runs: readonly (readonly [string, (b: B, o: OneOptions) => Promise<void>])[] = [
  ["0, 1, 15 and 16 refusals of an entry", bounds],
  ["answers alone, and the frames at the end", answersOnly],
  ["refusals until every frame was tried", everyFrame],
  ["a memory that takes what it refuses", takenAllTheSame],
  ["a memory that cannot be read behind a refusal", unknown],
  ["all of it at random, with resets in the midst", mixed],
];
describe("a memory that refuses entries", () => {
  for (const [name, run] of runs)
    for (const busy of [0, 0.4])
      bench(`${name}${busy > 0 ? ", with back-pressure" : ""}`, dut(), options, b => run(b, { busy }));
  for (const [like, memory] of Object.entries(legalMemories))
    bench(`at random, a memory with ${like}`, dut(), options, b => mixed(b, { memory }));
});

for (const busy of [0, 0.4])
  bench(`the last byte of a page${busy > 0 ? ", with back-pressure" : ""}`, dut(), options, b =>
    lastBytes(b, { busy }),
  );
testOfResets(dut(), {}, b => mixed(b, { busy: 0.3 }, 60));

describe("a planted fault is found", () => {
  const faults: readonly (readonly [string, RegExp, string, (b: B, o: OneOptions) => Promise<void>, RegExp])[] = [
    [
      "a frame is lost at the last refusal",
      /(wire free_pop_ready = taken \| written)/,
      "$1 | (&tries & state == 4'd6 & b_valid & (|b_payload_resp))",
      answersOnly,
      /frames that can be had at the end/,
    ],
    [
      "a frame is given and kept",
      /(wire free_pop_ready = taken \| written)/,
      "$1 & tries != 4'd15",
      answersOnly,
      /frames, each of them once|frame of their own/,
    ],
    [
      "a frame that the memory has after all is given to another page",
      /(wire free_pop_ready =) taken \|/,
      "$1",
      takenAllTheSame,
      /frame of their own|to not deeply equal|not to/,
    ],
    ["an access's last byte is the one behind it", /(last_byte = [^;]*) - \d+'d1;/, "$1;", lastBytes, /bytes from/],
    ["the 15th refusal is the last", /&tries/, "(tries >= 4'd14)", bounds, /15 refusals/],
    ["the status is another", /(tries_when\) code <= )status_fail/, "$1status_invalid", bounds, /16 refusals/],
    ["an entry that was taken is not looked for", /(wire taken = )/, "$11'b0 & ", takenAllTheSame, /./],
    ["another entry of the bucket is looked at", /seen == unsure_at_slot/, "seen == 3'd0", takenAllTheSame, /./],
    ["another bucket is looked at", /checking \? unsure_at_index : /, "", unknown, /taken, freed|unreadable/],
    [
      "what cannot be read counts as not there",
      /if \(~found_error\) (?=unsure)/,
      "",
      unknown,
      /unreadable|frame of their own/,
    ],
    ["a page gets a frame of which nobody knows", /else if \(unsure\)/, "else if (1'b0)", unknown, /unreadable/],
    [
      "what cannot be read is asked for without end",
      /unsure & ~checked/,
      "unsure",
      unknown,
      /limit|has not ended|moved/,
    ],
  ];
  for (const [name, from, to, run, why] of faults)
    test(name, () =>
      findsFault(
        runBench(name, plant(dut(), from, to), { ...options, wave: false, hangCycles: 1000 }, b => run(b, {})),
        why,
      ),
    );
});
