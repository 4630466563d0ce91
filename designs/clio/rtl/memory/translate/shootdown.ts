/** A page is forgotten: requests that could have used its translation leave the node before that is reported. */
import {
  bit,
  constant,
  decode,
  type InstanceOf,
  mux,
  reg,
  uint,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { MissTable } from "../../../../shared/virtual-memory/rtl/index.ts";
import type { Choice } from "./choose.ts";
import type { Looked } from "./lookup.ts";
import type { TranslateIo } from "./ports.ts";
import type { TranslateParameters } from "./records.ts";

export interface ShootdownState {
  readonly choice: Choice;
  readonly looked: Looked;
  readonly misses: InstanceOf<typeof MissTable>;
  /** 1 from the taking of a shootdown to its report: one at a time. */
  readonly shooting: Var<typeof bit>;
}

/** `inside` has the slots of requests that came in and have not left the node; those of the shootdown's cycle drain. */
export function drainForShootdown(p: TranslateParameters, s: ShootdownState, io: TranslateIo): void {
  const inside = reg(uint(p.slots), { init: 0 }),
    awaited = reg(uint(p.slots), { init: 0 });
  const shot = reg(bit, { init: 0 }),
    drains = reg(bit, { init: 0 }),
    report = reg(bit, { init: 0 });
  const entering = mux(s.choice.takesFresh, decode(io.access.payload.slot, p.slots), constant(0, p.slots));
  inside.set(inside.and(io.busy).or(entering));
  when(s.choice.takesShootdown, () => s.shooting.set(1));
  shot.set(s.looked.isShoot);
  when(shot, () => {
    drains.set(1);
    awaited.set(inside.and(io.busy));
  }).elseWhen(drains, () => {
    awaited.set(awaited.and(io.busy));
    when(awaited.any().or(s.misses.poisonLeft).not(), () => {
      drains.set(0);
      report.set(1);
    });
  });
  io.shootdownDone.valid.set(report);
  io.shootdownDone.payload.set(1);
  when(io.shootdownDone.fire, () => {
    report.set(0);
    s.shooting.set(0);
  });
}
