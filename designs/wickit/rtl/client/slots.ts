import {
  constant,
  decode,
  mux,
  node,
  ram,
  reg,
  scope,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits } from "../../config/index.ts";
import { mostWords } from "../../wire/index.ts";
import { AccessKind, type MemoryAsk } from "../engine/types.ts";
import { perContext } from "../engine/running.ts";
import type { ClientParameters } from "./types.ts";

/** What has been sent for an access. */
export const Sent = struct({
  /** Numbers of its first and its newest request. */
  first: uint(32),
  newest: uint(32),
  tries: uint(8),
  /** When the newest is to be repeated. */
  due: uint(24),
});
export type Ask = Val<ReturnType<typeof MemoryAsk>>;

/**
 * The access of each context that has one: what is asked, its words, what was sent, and whether an answer is waited for
 * (`waiting`). Who waits is not in the queue of those that are to be sent, so a context stands there once.
 */
export function accessSlots(p: ClientParameters) {
  return scope("slots", () => {
    const asks = ram(struct({ kind: AccessKind, va: uint(64), words: uint(4) }), perContext(p, "asks")),
      words = ram(uint(64), {
        depth: 2 ** contextBits(p) * mostWords,
        collision: "undefined",
        style: "distributed",
        name: "words",
      }),
      sent = ram(Sent, perContext(p, "sent")),
      waiting = reg(uint(p.contexts), { init: 0, name: "waiting" });
    const bitOf = (c: UInt): UInt => decode(c, p.contexts);
    return {
      asks,
      words,
      sent,
      isWaiting: (c: UInt): UInt<1> => node(waiting.and(bitOf(c)).any()),
      /** Set and cleared in one cycle are never the same context's. */
      change: (set: UInt<1>, setAt: UInt, clear: UInt<1>, clearAt: UInt): void => {
        const on = node(mux(set, bitOf(setAt), constant(0, p.contexts)), { name: "sets" }),
          off = node(mux(clear, bitOf(clearAt), constant(0, p.contexts)), { name: "clears" });
        when(set.or(clear), () => waiting.set(waiting.or(on).and(off.not())));
      },
    };
  });
}
export type Slots = ReturnType<typeof accessSlots>;
