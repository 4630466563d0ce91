/** Stage 1 and the way to stage 2: the page that is looked up, and what it is looked up for. */
import {
  bit,
  type Bit,
  cat,
  literalOf,
  mux,
  node,
  reg,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { locatePage } from "../../../../shared/virtual-memory/rtl/index.ts";
import { tableOf } from "../../../config/index.ts";
import { type Access, firstPointerOp, plainOp } from "../../records/records.ts";
import type { Choice } from "./choose.ts";
import { extentBits, keyBitsOf, Pending, type Shootdown, slotShape, type TranslateParameters } from "./records.ts";

type AccessStream = StreamIn<ReturnType<typeof Access>>;
type ShootdownStream = StreamIn<ReturnType<typeof Shootdown>>;

/** A lookup or a shootdown in a stage. */
export interface Lookup {
  readonly valid: Bit;
  readonly shoots: Bit;
  readonly request: Pending;
  readonly slot: UInt;
  readonly key: UInt;
}

/** A new access as its first lookup needs it. */
export function freshRequest(p: TranslateParameters, a: AccessStream["payload"]): Pending {
  const g = tableOf(p),
    Shape = Pending(p);
  const offset = a.va.bits(0, g.pageShift);
  const plain = node(a.op.eq(plainOp));
  // Pages after the first: how far the last byte is beyond the first page.
  const wideOffset = offset.zext(extentBits(p));
  const lastByte = node(wideOffset.add(a.length.resize(extentBits(p))).sub(1));
  const lastStep = lastByte.shr(g.pageShift).trunc(Shape.fields.lastStep.width);
  return literalOf(Shape, {
    pid: a.pid,
    vpn: a.va.bits(g.pageShift, g.vpnBits),
    offset,
    length: a.length,
    write: a.write,
    silent: a.silent,
    replyOpcode: a.replyOpcode,
    op: a.op,
    indirect: a.indirect,
    needsRead: plain.not().or(a.write.not()),
    needsWrite: mux(plain, a.write, a.op.lt(firstPointerOp)),
    outside: a.va.bits(g.vaBits, 64 - g.vaBits).any(),
    step: 0,
    lastStep: mux(plain, lastStep, 0),
    ppns: 0,
  });
}

/** Stage 1: takes who was chosen. `ready`: stage 2 takes what is here, or nothing is. */
export function stageOne(
  p: TranslateParameters,
  choice: Choice,
  from: {
    readonly access: AccessStream;
    readonly shootdown: ShootdownStream;
    readonly old: Pending;
    readonly ready: Bit;
  },
): Lookup {
  const { access, shootdown, ready } = from;
  const first = reg(Pending(p)),
    firstKey = reg(uint(keyBitsOf(p))),
    firstSlot = reg(slotShape(p));
  const firstValid = reg(bit, { init: 0 }),
    firstShoots = reg(bit, { init: 0 });
  const entering = mux(choice.old, from.old, freshRequest(p, access.payload));
  const loads = node(ready.and(choice.old.or(choice.shootdown).or(access.valid)));
  when(ready, () => firstValid.set(loads));
  when(loads, () => {
    first.set(entering);
    firstSlot.set(mux(choice.old, choice.oldSlot, access.payload.slot));
    firstShoots.set(choice.shootdown);
    const wanted = cat(entering.pid, entering.vpn),
      shot = cat(shootdown.payload.pid, shootdown.payload.vpn);
    firstKey.set(mux(choice.shootdown, shot, wanted).is(keyBitsOf(p)));
  });
  return { valid: firstValid, shoots: firstShoots, request: first, slot: firstSlot, key: firstKey };
}

/** What stage 2 holds: a lookup, a shootdown or nothing, for one cycle; the page's bucket goes with it. */
export interface Looked {
  readonly isLookup: Bit;
  readonly isShoot: Bit;
  readonly request: Pending;
  readonly slot: UInt;
  readonly key: UInt;
  readonly bucket: UInt;
}

/** Stage 2's registers: loaded when `moves`. */
export function stageTwo(p: TranslateParameters, first: Lookup, moves: Bit, hashKey: UInt): Looked {
  const isLookup = reg(bit, { init: 0 }),
    isShoot = reg(bit, { init: 0 });
  const second = reg(Pending(p)),
    secondKey = reg(uint(keyBitsOf(p))),
    secondSlot = reg(slotShape(p)),
    secondIndex = reg(uint(tableOf(p).indexBits));
  isLookup.set(moves.and(first.shoots.not()));
  isShoot.set(moves.and(first.shoots));
  when(moves, () => {
    second.set(first.request);
    secondKey.set(first.key);
    secondSlot.set(first.slot);
    secondIndex.set(locatePage(tableOf(p), first.key, hashKey).index);
  });
  return { isLookup, isShoot, request: second, slot: secondSlot, key: secondKey, bucket: secondIndex };
}
