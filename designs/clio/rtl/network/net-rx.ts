import { bit, cat, module, node, reg, uint, when } from "../../../../hdl-dsl/index.ts";
import { slotBits } from "../../../shared/frame/index.ts";
import { cells } from "../../../shared/stream/index.ts";
import { accessBody, frameOffsets } from "../../wire/index.ts";
import { NetRequest, operandBits } from "../records/records.ts";
import { DropPulses, dropReasons } from "./drops.ts";
import { collect } from "./net-rx/collect.ts";
import { contextOf, requestOf } from "./net-rx/facts.ts";
import { headersOf, traitsOf } from "./net-rx/headers.ts";
import { wrongKey } from "./net-rx/key.ts";
import { netRxPorts } from "./net-rx/ports.ts";
import { Judged } from "./net-rx/records.ts";
import { rulesOf } from "./net-rx/rules.ts";
import { verdictOf } from "./net-rx/verdict.ts";

export type { NetRxParameters } from "./net-rx/records.ts";

/** Bits from where on an atomic has its operands. */
const operandsFrom = (frameOffsets.body + accessBody.bytes) * 8;

/**
 * Takes frames from the MAC and stores each whole in the frame buffer, under a free slot. After its last beat the frame
 * is judged by designs/clio/model/rules.md, section 1. No state but the frame's own is used (paper section 4.3). A
 * frame for the node becomes one `request`. Any other frame becomes a pulse on `drops`, and gives its slot back on
 * `release` in the same cycle. Latency: 3 cycles from the last beat to `request` (or to the pulse). The context and the
 * operands of the slot are written 1 cycle after the last beat. That holds for frames that are then dropped too: the
 * slot is still the frame's own. Initiation interval: 1 beat per cycle with no bubble between frames, single-beat
 * frames included. `received` pulses once per frame. Full: a frame's first beat waits while no slot is offered. A
 * request that is not taken holds back the two frames behind it and then `rx.ready`; nothing is lost. A frame longer
 * than the slot is taken to its end without being written past the slot. With `keys` a request for a process that has
 * one is `foreign` unless it ends with it, which costs no cycle.
 */
export const NetRx = module("NetRx", netRxPorts, (io, p) => {
  const { cell, load } = cells(p.compact === true);
  const judgedValid = cell(bit, { init: 0, name: "judged_valid" }),
    answerValid = cell(bit, { init: 0, name: "answer_valid" });
  const answerRoom = node(answerValid.not().or(io.request.ready)),
    behindRoom = judgedValid.not().or(answerRoom),
    judgedRoom = node(p.keys === true ? behindRoom.andNot(io.keysClearing) : behindRoom);

  // Beats in: the header is captured as it passes.
  const frame = collect(p, io, judgedRoom);
  const { header, lastByte, slot } = frame;
  const leaves = node(frame.pending.and(judgedRoom));
  io.received.set(leaves);

  // First stage: every rule by itself.
  const headers = headersOf(header),
    is = traitsOf(p, headers, io.config);
  const tooLong = node(lastByte.ge(p.frameBytes));
  const rules = rulesOf(frame, headers, is, tooLong, io.config);
  io.contextWrite.set({ en: leaves, slot, value: contextOf(header, headers, is) });
  io.operandsWrite.set({ en: leaves, slot, value: header.bits(operandsFrom, operandBits) });
  const found = cat(...rules.map(r => r.broken).toReversed()),
    broken = cell(uint(found.width), { name: "broken" }),
    judged = cell(Judged(p), { name: "judged" });
  load(judgedRoom, () => judgedValid.set(frame.pending));
  load(leaves, () => {
    broken.set(found.is(broken.width));
    const request = requestOf(p, frame, headers, is, io.config);
    judged.set({ kind: is.kind, bad: frame.bad, tooLong, request });
  });

  const wrong = p.keys === true ? wrongKey(p, io, frame, { headers, is }, leaves) : undefined;

  // Second stage: the verdict.
  const { dropped, blames } = verdictOf(judged, broken, rules);
  const moves = node(judgedValid.and(answerRoom));
  const answer = cell(NetRequest(p), { name: "answer" });
  const dropping = reg(DropPulses, { init: 0 });
  const released = reg(bit, { init: 0 }),
    releasedSlot = reg(uint(slotBits(p)));
  load(answerRoom, () => answerValid.set(judgedValid.andNot(dropped)));
  const { foreign } = judged.request;
  load(moves, () =>
    answer.set(wrong === undefined ? judged.request : { ...judged.request, foreign: foreign.or(wrong) }),
  );
  when(moves, () => releasedSlot.set(judged.request.slot));
  for (const name of dropReasons) dropping[name].set(moves.and(blames(name)));
  released.set(moves.and(dropped));
  io.drops.set(dropping);
  io.release.set({ valid: released, slot: releasedSlot });
  io.request.valid.set(answerValid);
  io.request.payload.set(answer);
});
