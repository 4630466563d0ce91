import { describe, expect, it, test } from "vitest";
import { cutFields, joinFields } from "../../../../designs/shared/frame/index.ts";
import {
  decode,
  headerOffsets,
  PacketError,
  packRecord,
  type RecordValues,
  unpackRecord,
} from "../../../../designs/shared/wire/index.ts";
import {
  Descriptor,
  descriptor,
  LinkKind,
  linkKind,
  LinkShim,
  linkShim,
  SnicKind,
  snicKind,
  SnicShim,
  snicShim,
} from "../../../../designs/supernic/wire/index.ts";
import { assignView, codeOf, input, module, namesOf, output, pack, uint, widthOf } from "../../../../hdl-dsl/index.ts";
import { poke, simulate } from "../../../../sim/index.ts";
import { plant } from "../../../support/plant.ts";
import * as v from "./vectors.ts";

const build = { contexts: 256, cells: 1024 };
/** The shims of a frame's first 64 bytes cut out by hardware, and put together again; a descriptor as bits. */
const Cut = module(
  "Cut",
  () => ({
    head: input(uint(512)),
    link: output(LinkShim),
    snic: output(SnicShim),
    same: output(uint(64)),
    given: input(Descriptor(build)),
    bits: output(uint(descriptor.bits)),
  }),
  io => {
    const snic = cutFields(snicShim, io.head, headerOffsets.network);
    assignView(io.link, cutFields(linkShim, io.head, headerOffsets.network), "link");
    assignView(io.snic, snic, "snic");
    io.same.set(joinFields(snicShim, snic).is(64));
    io.bits.set(pack(io.given).is(descriptor.bits));
  },
);
const asNumber = (bytes: Uint8Array): bigint => [...bytes].reverse().reduce((n, x) => (n << 8n) | BigInt(x), 0n);
const values = (): RecordValues<typeof descriptor.fields> =>
  Object.fromEntries(
    Object.entries(descriptor.fields).map(([name, f], i) => [name, (2 ** f.bits - 1) & (0x5a5a + 77 * i)]),
  ) as RecordValues<typeof descriptor.fields>;

async function check(dut: Parameters<typeof simulate<ReturnType<typeof Cut>["ports"]>>[0]): Promise<void> {
  using sim = await simulate(dut);
  const given = values();
  poke(sim.io.given as never, given as never);
  for (const frame of [v.linkData, v.shimData]) {
    sim.io.head.value = asNumber(frame.slice(0, 64));
    sim.settle();
    expect(shown(Object.keys(linkShim.fields), sim.io.link)).toEqual(decode(linkShim, frame, 14));
    expect(shown(Object.keys(snicShim.fields), sim.io.snic)).toEqual(decode(snicShim, frame, 14));
    expect(sim.io.same.big).toBe(asNumber(frame.slice(14, 22)));
    expect(sim.io.bits.big).toBe(packRecord(descriptor, given));
  }
}
function shown(names: readonly string[], io: object): Record<string, number> {
  return Object.fromEntries(names.map(n => [n, (io as Record<string, { readonly num: number }>)[n]?.num ?? NaN]));
}

test("hardware reads the same fields as the codec from frames written by hand, and packs as the record does", async () => {
  await check(Cut());
});
test("a planted fault is found: the UID's bytes change places", async () => {
  const swapped = plant(Cut(), "{head[135:128], head[143:136]}", "{head[143:136], head[135:128]}");
  await expect(check(swapped)).rejects.toThrow();
});

describe("the descriptor", () => {
  it("has 126 bits, fewer in a smaller build", () => {
    expect(descriptor.bits).toBe(126);
    expect(widthOf(Descriptor({ contexts: 8, cells: 4 }))).toBe(126 - 5 - 8);
  });
  it("comes back from its bits", () => {
    expect(unpackRecord(descriptor, packRecord(descriptor, values()))).toEqual(values());
    expect(packRecord(descriptor, { ctx: 1, uid: 1, entered: 0xffff })).toBe((0xffffn << 110n) | (1n << 8n) | 1n);
  });
  it("refuses what does not fit, in one sentence", () => {
    expect(() => packRecord(descriptor, { user: 64 })).toThrow(
      new PacketError("descriptor: user holds 6 bits, 64 does not fit"),
    );
    expect(() => unpackRecord(descriptor, 1n << 126n)).toThrow(/^descriptor: has 126 bits, 0x40+ does not fit$/);
    expect(() => packRecord(descriptor, { nothing: 1 } as never)).toThrow(/^descriptor: there is no field nothing; /);
  });
});

test("kinds have the tables' numbers in hardware", () => {
  for (const [codes, table] of [
    [LinkKind, linkKind],
    [SnicKind, snicKind],
  ] as const)
    expect(Object.fromEntries(namesOf(codes as never).map(n => [n, codeOf(codes as never, n)]))).toEqual(table);
});
