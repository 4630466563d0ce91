/** The page that is looked up, and what the TLB and its rights say of it. */
import { type Bit, bit, cat, constant, instance, mux, node, reg, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { lengthBits } from "../../../../shared/frame/index.ts";
import { locatePage, Tlb } from "../../../../shared/virtual-memory/rtl/index.ts";
import { bucketSlots } from "../../../../shared/virtual-memory/table/index.ts";
import { tableOf } from "../../../config/index.ts";
import type { TranslateOneIo, TranslateOneParameters } from "./ports.ts";

/** State of the machine. */
const at = {
  look: 0,
  decide: 1,
  fetch: 2,
  collect: 3,
  verdict: 4,
  put: 5,
  answer: 6,
  fill: 7,
  give: 8,
  refuse: 9,
} as const;

/** The machine, and where the request is. */
export function stateOf(p: TranslateOneParameters) {
  const g = tableOf(p),
    pages = p.pagesPerRequest;
  const state = reg(uint(4), { init: at.look });
  return {
    g,
    pages,
    is: (s: keyof typeof at): Bit => state.eq(at[s]),
    go: (s: keyof typeof at): void => state.set(at[s]),
    /** Page of the request that is looked up. */
    step: reg(uint(Math.max(1, Math.ceil(Math.log2(pages)))), { init: 0 }),
    ppns: reg(uint(pages * g.ppnBits)),
    code: reg(uint(4)),
    /** Times that the entry's write was refused. */
    tries: reg(uint(4)),
    /** The memory refused an entry with the first free frame, and nobody knows yet whether it has it all the same. */
    unsure: reg(bit, { init: 0 }),
    /** That entry. */
    unsureAt: reg(struct({ index: uint(g.indexBits), slot: uint(Math.log2(bucketSlots)) })),
    /** The bucket under way is read to see whether that entry is in it. */
    checking: reg(bit, { init: 0 }),
    /** The request has asked for that, so that it does not ask for ever. */
    checked: reg(bit, { init: 0 }),
  };
}
export type State = ReturnType<typeof stateOf>;

/** The page, and how many there are. */
export function pageOf(io: TranslateOneIo, p: TranslateOneParameters, { g, step }: State) {
  const a = io.access.payload;
  const offset = a.va.bits(0, g.pageShift),
    extentBits = Math.max(g.pageShift, lengthBits) + 1;
  const lastByte = node(offset.zext(extentBits).add(a.length.zext(extentBits)).sub(1));
  const lastStep = lastByte.shr(g.pageShift).trunc(step.width);
  const vpn = node(a.va.bits(g.pageShift, g.vpnBits).addGrow(step.zext(g.vpnBits)));
  const physical = node(p.physicalPid === undefined ? constant(0, 1) : a.pid.eq(p.physicalPid));
  const outside = node(
    a.va
      .bits(g.vaBits, 64 - g.vaBits)
      .any()
      .or(vpn.bit(g.vpnBits))
      .or(physical.and(vpn.bits(g.ppnBits, g.vpnBits - g.ppnBits).any())),
  );
  const key = node(cat(a.pid, vpn.trunc(g.vpnBits)));
  const located = locatePage(g, key, io.hashKey),
    place = { index: node(located.index, { name: "bucket" }), tag: located.tag };

  return { offset, lastStep, vpn, physical, outside, key, place };
}
export type Page = ReturnType<typeof pageOf>;

/** The TLB, and the shootdown of an entry of it. */
export function tlbOf(
  io: TranslateOneIo,
  p: TranslateOneParameters,
  { g, is, step }: State,
  { key, outside, physical }: Page,
) {
  const keyBits = g.pidBits + g.vpnBits;
  const shooting = reg(bit, { init: 0 });
  const draining = reg(bit, { init: 0 });
  const report = reg(bit, { init: 0 });
  const shoots = node(io.shootdown.valid.and(step.eq(0)).and(draining.not()).and(report.not()));
  const tlb = instance("tlb", Tlb({ entries: p.tlbEntries, keyBits, ppnBits: g.ppnBits }));
  const looks = node(is("look").and(shoots.or(io.access.valid)));
  tlb.key.set(mux(shoots, cat(io.shootdown.payload.pid, io.shootdown.payload.vpn), key).is(keyBits));
  tlb.advance.set(looks);
  const decides = node(is("decide").and(shooting.not()));
  const lookedUp = node(decides.and(outside.not()).and(physical.or(tlb.hit)));
  tlb.clear.set(is("decide").and(shooting));
  tlb.touch.set(lookedUp.and(tlb.hit));
  io.shootdown.ready.set(is("look").and(shoots));

  return { tlb, shooting, draining, report, shoots, looks, lookedUp };
}
export type Looked = ReturnType<typeof tlbOf>;
