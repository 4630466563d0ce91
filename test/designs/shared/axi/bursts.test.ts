import { describe, expect, test } from "vitest";
import { addressStage, type BurstParameters, bursts, burstWindow } from "../../../../designs/shared/axi/bursts.ts";
import { axi4Address, map, module, sink, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

/** Small pages with narrow beats and short requests, and large pages with wide ones. */
const parameterSets: readonly BurstParameters[] = [
  { beatBytes: 8, pageShift: 9, ppnBits: 7, pagesPerRequest: 3, addressBits: 16, idBits: 2, lengthBits: 10 },
  { beatBytes: 64, pageShift: 16, ppnBits: 12, pagesPerRequest: 2, addressBits: 28, idBits: 5 },
];
const lengthBitsOf = (p: BurstParameters): number => p.lengthBits ?? 14;
const Bursts = module(
  "BurstsHarness",
  (p: BurstParameters) => ({
    request: sink(
      struct({
        offset: uint(p.pageShift),
        length: uint(lengthBitsOf(p)),
        ppns: uint(p.pagesPerRequest * p.ppnBits),
      }),
    ),
    address: source(axi4Address(p)),
  }),
  (io, p) => {
    const made = bursts(io.request, p);
    addressStage(
      map(made, axi4Address(p), v => v.address, { name: "address_of" }),
      io.address,
      "staged",
    );
  },
);
interface Wanted {
  readonly addr: number;
  readonly len: number;
}
/** The bursts of a request: from beat to beat, cut at pages and windows. */
function expected(p: BurstParameters, offset: number, length: number, ppns: readonly number[]): Wanted[] {
  const out: Wanted[] = [],
    end = offset + length,
    window = burstWindow(p);
  for (let at = offset - (offset % p.beatBytes); at < end;) {
    const next = Math.min((Math.floor(at / window) + 1) * window, Math.ceil(end / p.beatBytes) * p.beatBytes),
      page = Math.floor(at / 2 ** p.pageShift);
    out.push({
      addr: (ppns[page] as number) * 2 ** p.pageShift + (at % 2 ** p.pageShift),
      len: (next - at) / p.beatBytes - 1,
    });
    at = next;
  }
  return out;
}

async function run(b: Bench<ReturnType<typeof Bursts>["ports"]>, p: BurstParameters, pause: Pause): Promise<void> {
  const page = 2 ** p.pageShift,
    most = Math.min(2 ** lengthBitsOf(p) - 1, (p.pagesPerRequest - 1) * page);
  // A reset in the middle of a request of several bursts.
  poke(b.io.request.payload, { offset: page - 1, length: most, ppns: 0n });
  b.io.request.valid.value = 1;
  b.io.address.ready.value = 1;
  await b.cycles(3);
  b.io.request.valid.value = 0;
  b.sim.reset(1);
  const request = new StreamSource(b.sim, b.io.request, { pause }),
    address = new StreamSink(b.sim, b.io.address, { pause: pause === never ? never : bernoulli(0.4, 3) });
  const wanted: Wanted[] = [];
  for (let i = 0; i < 300; i++) {
    const offset = b.random.chance(0.3) ? page - 1 - b.random.between(0, p.beatBytes) : b.random.between(0, page - 1),
      length = b.random.chance(0.5) ? b.random.between(1, most) : b.random.between(1, 2 * p.beatBytes),
      ppns = Array.from({ length: p.pagesPerRequest }, () => b.random.between(0, 2 ** p.ppnBits - 1));
    request.send({ offset, length, ppns: ppns.reduceRight((v, x) => (v << BigInt(p.ppnBits)) | BigInt(x), 0n) });
    wanted.push(...expected(p, offset, length, ppns));
  }
  await b.until(() => address.received.length >= wanted.length);
  await b.cycles(5);
  const got = address.received;
  expect(
    got.map(r => ({ addr: Number(r.value.addr), len: r.value.len })),
    "bursts",
  ).toEqual(wanted);
  expect(new Set(got.map(r => `${r.value.size} ${r.value.burst} ${r.value.id}`))).toEqual(
    new Set([`${Math.log2(p.beatBytes)} 1 0`]),
  );
  if (pause === never)
    expect((got.at(-1)?.cycle as number) - (got[0]?.cycle as number), "a burst a cycle").toBe(wanted.length - 1);
}
describe.each(parameterSets)("bursts, beats of $beatBytes bytes, pages of 2^$pageShift", p => {
  test("cut at pages and windows, under back-pressure", () =>
    runBench("bursts", Bursts(p), {}, b => run(b, p, bernoulli(0.3, 1))));
  test("one burst a cycle", () => runBench("bursts", Bursts(p), {}, b => run(b, p, never)));
  test("a planted fault is found: the next page is the first again", () =>
    findsFault(
      runBench(
        "bursts planted",
        plant(Bursts(p), /burst_next_ppns <= [^;]*;/, "burst_next_ppns <= burst_ppns;"),
        { wave: false, hangCycles: 100 },
        b => run(b, p, never),
      ),
      /bursts/,
    ));
});
