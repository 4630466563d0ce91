/** The record of a commit as it is written: its CRC comes first. */
import { bit, cat, constant, mux, node, reg, uint, type UInt, type Val, when } from "../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { commitRecord, states } from "../../wire/index.ts";
import type { Digest } from "./digest.ts";
import type { Table } from "./table.ts";
import { CommitState, lineBits } from "./types.ts";

/** `sign` makes the record of the commit at hand: `ready` for a cycle when `line` is there, 6 cycles later. */
export function recordOf(table: Table, digest: Digest) {
  const state = reg(CommitState, { init: "free", name: "record_state" }),
    crc = reg(uint(32), { name: "record_crc" }),
    kept = reg(uint(lineBits), { name: "record_kept" }),
    steps = reg(uint(5), { init: 0, name: "record_steps" }),
    ready = reg(bit, { init: 0, name: "record_ready" });
  const body: UInt = node(
    joinFields(commitRecord, {
      crc: 0,
      state: mux(state.eq("committed"), constant(states.committed, 8), constant(states.prepared, 8)),
      parts: table.meta.parts.zext(8),
      lane: table.lane.zext(16),
      owners: table.meta.owners,
      replicas: table.meta.replicas,
      seq: table.seq,
      pid: table.pid,
      // Of areas that the commit does not have, the memory holds what another one left.
      crcs: cat(...table.crcs.map((c, i) => mux(table.whole.bit(i), c, 0)).toReversed()),
      spare: 0,
    }),
    { name: "record_body" },
  );
  steps.set(steps.shl(1));
  ready.set(steps.bit(4));
  when(steps.bit(0), () => kept.set(body.is(lineBits)));
  when(steps.bit(1), () => {
    digest.begin();
    digest.feed(kept);
  });
  when(steps.bit(4), () => crc.set(digest.result));
  return {
    state,
    ready,
    line: cat(kept.bits(32, lineBits - 32), crc),
    sign: (to: Val<typeof CommitState>): void => {
      state.set(to);
      steps.set(1);
    },
  };
}
