/** The memory answers single beats with an error: nobody takes what came for good, and all else is as it was. */
import { describe, expect, test } from "vitest";
import { AccessRead } from "../../../../../designs/clio/rtl/memory/access-read.ts";
import { AccessWrite } from "../../../../../designs/clio/rtl/memory/access-write.ts";
import { Translate } from "../../../../../designs/clio/rtl/memory/translate.ts";
import { status } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, type BenchOptions, bernoulli, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Bad, burstPieces, memoryBeats, nameOf, type Parameters, type Request, widths } from "./memory-bench.ts";
import { addMany, quiet, small, to } from "./support/quiet-rig.ts";
import * as reads from "./support/read-rig.ts";
import type { Page, PageKind, Ports } from "./support/translate-rig.ts";
import * as writes from "./support/write-rig.ts";

const responses = ["SLVERR", "DECERR"] as const;
/** Which of so many: the first, one in the middle, the last, two apart, two together. */
const places = (count: number): readonly (readonly number[])[] => {
  const middle = count >> 1,
    last = count - 1;
  return [[0], [middle], [last], [0, last], [Math.max(0, middle - 1), middle]];
};
const addressOf = (r: Request, p: Parameters): number =>
  Math.floor(((r.ppns[0] as number) * 2 ** p.pageShift + r.offset) / p.beatBytes) * p.beatBytes;

/** Requests in places of their own in one page; each that fails stands between two that do not. */
function between<A>(
  each: (offset: number) => Request,
  parts: (r: Request) => readonly (readonly A[])[],
  bad: (r: Request, part: A) => { readonly from: number; readonly to: number },
) {
  const requests: Request[] = [],
    ranges: Bad[] = [];
  /** Each request has 16 KB of its own, with the end of a 4 KB in it. */
  const next = (): Request => {
    const r = each(requests.length * 16384 + 4096 - 40 - 9 * (requests.length % 5));
    requests.push(r);
    return r;
  };
  for (const response of responses)
    for (let n = 0; n < 5; n++) {
      next();
      const r = next();
      for (const part of parts(r)[n] ?? []) ranges.push({ ...bad(r, part), response });
    }
  next();
  return { requests, ranges };
}

type Reads = Bench<reads.Ports>;
/** Of each read beats: the one at the end of a 4 KB is another burst's. */
async function badReads(b: Reads, p: Parameters, length: number, paused: boolean): Promise<void> {
  let seed = b.random.word();
  const { requests, ranges } = between(
    offset => reads.one(b, p, offset, length),
    r => places(memoryBeats(r, p)),
    (r, beat) => {
      const from = addressOf(r, p) + beat * p.beatBytes;
      return { from, to: from + p.beatBytes };
    },
  );
  await reads.run(b, p, requests, {
    bad: ranges,
    ...(paused ? { pause: () => bernoulli(0.3, ++seed), jitter: 20 } : {}),
  });
}
/** Of each write bursts: the memory answers once for all beats of one. */
async function badWrites(b: Bench<writes.Ports>, p: Parameters, length: number, paused: boolean): Promise<void> {
  let seed = b.random.word();
  const { requests, ranges } = between(
    offset => writes.one(b, p, offset, length),
    r => places(burstPieces(r, p).length),
    (r, burst) => {
      const { address, length } = burstPieces(r, p)[burst] as { address: number; length: number };
      // One byte in the middle of the burst.
      return { from: address + (length >> 1), to: address + (length >> 1) + 1 };
    },
  );
  await writes.run(b, p, requests, {
    bad: ranges,
    ...(paused ? { pause: () => bernoulli(0.3, ++seed), jitter: 20 } : {}),
  });
}

const narrow = widths(8, 22, 9018),
  wide = widths(64, 22, 9018);
describe("an error on single beats below AccessRead and AccessWrite", () => {
  for (const p of [narrow, widths(16, 22), wide])
    for (const paused of [false, true]) {
      const how = `${nameOf(p)}${paused ? ", pauses" : ", back to back"}`,
        length = Math.min(p.frameBytes, 1536) - 200;
      bench(`reads: ${how}`, AccessRead(p), { seed: p.beatBytes }, b => badReads(b, p, length, paused));
      bench(`reads of few beats: ${how}`, AccessRead(p), { seed: p.beatBytes }, b =>
        badReads(b, p, 2 * p.beatBytes, paused),
      );
      bench(`writes: ${how}`, AccessWrite(p), { seed: p.beatBytes }, b => badWrites(b, p, p.frameBytes - 200, paused));
    }

  describe("a planted fault is found", () => {
    const o: BenchOptions = { wave: false, hangCycles: 1000, limitCycles: 100_000 };
    const read: readonly (readonly [string, RegExp, string])[] = [
      ["only the last beat's error is looked at", /bad_now = [^;]*;/, "bad_now = input_payload_bad;"],
      ["only the first beat's is", /bad_now = [^;]*;/, "bad_now = first ? input_payload_bad : bad_so_far;"],
      ["an error stays for the next read", /bad_so_far & ~first/, "bad_so_far"],
      [
        "an error in the last beat of memory comes too late",
        /turned_bad <= [^;]*;/,
        "turned_bad <= bad_so_far & ~first;",
      ],
      ["two errors are none", /bad_now = [^;]*;/, "bad_now = input_payload_bad ^ (bad_so_far & ~first);"],
      [
        "what a beat after its end brings is forgotten",
        /turned_bad <= flush \? bad_so_far : bad_now/,
        "turned_bad <= bad_now & ~flush",
      ],
    ];
    for (const [name, from, to] of read)
      test(`reads: ${name}`, () =>
        findsFault(
          runBench(name, plant(AccessRead(narrow), from, to), o, async b => {
            await badReads(b, narrow, 16, true);
            await badReads(b, narrow, 300, false);
          }),
        ));
    const write: readonly (readonly [string, RegExp, string])[] = [
      ["only the last burst's error is looked at", /failed = [^;]*;/, "failed = |b_payload_resp;"],
      [
        "only the one before the last burst is remembered",
        /failed_before <= failed & ~ends;/,
        "failed_before <= (|b_payload_resp) & ~ends;",
      ],
      ["an error stays for the next write", /failed_before <= [^;]*;/, "failed_before <= failed;"],
      ["two errors are none", /failed_before \| \(?\|b_payload_resp\)?/, "failed_before ^ (|b_payload_resp)"],
      ["SLVERR is none", /failed_before \| \(?\|b_payload_resp\)?/, "failed_before | b_payload_resp[0]"],
    ];
    for (const [name, from, to] of write)
      test(`writes: ${name}`, () =>
        findsFault(runBench(name, plant(AccessWrite(narrow), from, to), o, b => badWrites(b, narrow, 8800, false))));
  });
});

const kinds: readonly (readonly [string, PageKind, number])[] = [
  ["mapped", {}, 0],
  ["to fault", { faults: true }, 0],
  ["absent", { allocated: false }, status.INVALID],
];
/**
 * Beats of a bucket fail, each of them in turn; another page's bucket comes beside it, beats mixed. Both accesses to
 * the page end with FAIL, the other's does not; a fault takes no frame. When the memory is whole again, so is the
 * page.
 */
async function badBuckets(b: Bench<Ports>, beatBytes: number): Promise<void> {
  const rig = quiet(b, { ...small, beatBytes }, { jitter: 8, memory: { outOfOrder: true, interleave: true } });
  rig.supply = 1;
  for (const [name, kind, whole] of kinds) {
    const cases = responses.flatMap(response => places(64 / beatBytes).map(beats => ({ response, beats }))),
      pages = addMany(rig, 2 * cases.length, kind);
    for (const { response, beats } of cases) {
      const [page, other] = pages.splice(0, 2) as [Page, Page],
        ranges = beats.map(beat => {
          const from = page.index * 64 + beat * beatBytes;
          return { from, to: from + beatBytes, response };
        });
      for (const range of ranges) rig.ram.failAt(range);
      rig.failing.add(page.index);
      const before = rig.outcomes.length,
        frames = rig.events.pageFaults;
      for (const access of [to(rig, page), to(rig, other), to(rig, page, true)]) rig.send(access);
      await b.until(() => rig.inFlight === 0);
      const ends = rig.outcomes.slice(before),
        of = (p: Page) => ends.filter(o => o.access.va === rig.addressOf(p, 8)).map(o => o.status),
        where = `a page ${name}, ${response} in beats ${beats.join(" and ")}`;
      expect([of(page), of(other)], where).toEqual([[status.FAIL, status.FAIL], [whole]]);
      expect(rig.events.pageFaults - frames, `frames taken: ${where}`).toBe(kind.faults === true ? 1 : 0);
      for (const range of ranges) range.to = range.from;
      rig.failing.delete(page.index);
      expect((await rig.one(to(rig, page))).status, `the memory is whole: ${where}`).toBe(whole);
    }
  }
  await rig.finish();
}

describe("an error on single beats of a bucket below Translate", () => {
  const o: BenchOptions = { hangCycles: 5000, limitCycles: 200_000 };
  for (const beatBytes of [8, 16, 32, 64])
    test(`${beatBytes * 8} bits`, () =>
      runBench("translate beat errors", Translate({ ...small, beatBytes }), o, b => badBuckets(b, beatBytes)));

  describe("a planted fault is found", () => {
    const faults: readonly (readonly [string, RegExp, string])[] = [
      ["only the last beat's error is looked at", /(?<=walked_error <= )[^;]*;/, "|beat_resp;"],
      ["the last beat's error is not looked at", /(?<=walked_error <= )[^;]*;/, "walked_error_and;"],
      ["an error stays for the next bucket", /(?<=walked_error_and = k_error) & [^;]*;/, ";"],
      ["an error counts for another page's bucket", /(?<=wire k_error = )[^;]*;/, "kept_0_error;"],
      ["an error before the page's entry is forgotten", /(?<=kept_0_error <= )[^;]*;/, "|beat_resp;"],
      ["SLVERR is none", /(?<=walked_error <= )\(\|beat_resp\)/, "(&beat_resp)"],
    ];
    for (const [name, from, becomes] of faults)
      test(name, () =>
        findsFault(
          runBench(name, plant(Translate({ ...small, beatBytes: 8 }), from, becomes), { ...o, wave: false }, b =>
            badBuckets(b, 8),
          ),
        ),
      );
  });
});
