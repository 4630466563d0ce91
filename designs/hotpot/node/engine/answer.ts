/** The answer: its head, and an area behind it. */
import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  mux,
  node,
  reg,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { commitAnswer, commitReplyOpcode, headBytes, verdicts } from "../../wire/index.ts";
import type { Shared } from "./shared.ts";
import { countBits, lineBits } from "./types.ts";

interface Facts {
  /** The request is no message: a status alone answers it. */
  readonly malformed: Bit;
  readonly opcode: UInt;
  readonly hasArea: Bit;
  /** The place is looked at itself, not for a commit. */
  readonly showsPlace: Bit;
  /** The lane's floor and its owner are told. */
  readonly showsLane: Bit;
}
/** @returns 1 for a cycle when the answer is out. Latency 2 cycles from `finished` to the reply. */
export function answerOf(e: Shared, facts: Facts): Bit {
  const { table, beats, io } = e,
    line = reg(uint(lineBits), { name: "answer_line" }),
    index = reg(uint(countBits), { init: 0, name: "answer_index" }),
    answered: Var<typeof bit> = reg(bit, { init: 0, name: "answered" });
  const isPlace = node(facts.showsPlace.and(table.state.any()), { name: "shows_used_place" }),
    shown = node(mux(facts.showsPlace, isPlace, table.known), { name: "shows_commit" }),
    none = constant(0, 16);
  const area = beats.read,
    length = node(mux(facts.hasArea, area.length, none), { name: "answer_bytes" });
  const values = {
    verdict: e.verdict.zext(8),
    status: mux(e.verdict.eq(verdicts.failed), e.access.status, 0).zext(8),
    state: mux(shown, table.state, 0).zext(8),
    held: mux(shown, table.held, 0),
    lane: mux(facts.showsPlace, mux(isPlace, table.lane.zext(16), none), beats.asked.lane),
    owners: mux(shown, table.meta.owners, none),
    seq: mux(facts.showsPlace, mux(isPlace, table.seq, constant(0, 32)), beats.asked.seq),
    replicas: mux(shown, table.meta.replicas, none),
    length,
    va: mux(facts.hasArea, area.va, constant(0, 64)),
    parts: mux(shown, table.meta.parts, constant(0, 4)).zext(8),
    marks: e.open.zext(8),
    owner: mux(facts.showsLane, e.floors.owner, none),
    floor: mux(facts.showsLane, e.floors.floor, constant(0, 32)),
    spare: 0,
  };
  const count = length.bits(6, countBits),
    last = node(index.eq(count), { name: "answer_ends" });
  answered.set(0);
  const s = fsm(
    ["idle", "form", "reply", "beats"],
    "idle",
    go => ({
      idle: () => when(e.finished, () => go.go("form")),
      form: () => {
        line.set(joinFields(commitAnswer, values).is(lineBits));
        index.set(0);
        go.go("reply");
      },
      reply: () =>
        when(io.reply.ready, () => {
          go.go("beats");
          when(facts.malformed, () => {
            answered.set(1);
            go.go("idle");
          });
        }),
      beats: () =>
        when(io.replyData.ready, () => {
          index.set(index.add(1));
          when(last, () => {
            answered.set(1);
            go.go("idle");
          });
        }),
    }),
    { name: "answer" },
  );
  io.reply.valid.set(s.is("reply"));
  io.reply.payload.set({
    context: e.context,
    status: mux(facts.malformed, statusBits.MALFORMED, statusBits.OK),
    opcode: mux(facts.malformed, facts.opcode, commitReplyOpcode),
    length: mux(facts.malformed, constant(0, 14), cat(count.addGrow(1), constant(0, Math.log2(headBytes))).resize(14)),
    more: 0,
  });
  io.replyData.valid.set(s.is("beats"));
  io.replyData.payload.set({ data: mux(index.any(), beats.at(index.sub(1)), line), last });
  return answered;
}
