/** Answers of the host itself, and the remembered part of an answer: the first bytes of its body. */
import {
  bit,
  bitsFor,
  type InstanceOf,
  mux,
  node,
  reg,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type HeaderInsert, joinBytes } from "../../../shared/frame/index.ts";
import { rememberedBytes } from "../once-table.ts";
import type { Requests } from "../request-port/types.ts";
import type { SlotParameters } from "../slot/ports.ts";
import { BodyBeat, bodyLengthBits } from "../types.ts";
import type { Summed } from "./header.ts";

export function rememberAnswers(
  { payload: v }: Summed,
  insert: InstanceOf<typeof HeaderInsert>,
  requests: Requests,
  p: SlotParameters,
) {
  const bodyBits = rememberedBytes * 8;
  const sent = reg(
    struct({
      status: uint(4),
      opcode: uint(8),
      length: uint(bodyLengthBits),
      entry: uint(v.entry.width),
      body: uint(bodyBits),
    }),
    { name: "sent" },
  );
  const remembering = reg(bit, { init: 0, name: "remembering" });
  const beat = reg(uint(bitsFor(rememberedBytes)), { name: "beat" });
  const beats = Math.ceil(rememberedBytes / p.beatBytes),
    part = (i: number): number => Math.min(p.beatBytes, rememberedBytes - i * p.beatBytes) * 8;
  const hostData = stream(BodyBeat(p), { name: "host_data" });
  hostData.valid.set(1);
  hostData.payload.set({
    data: Array.from({ length: beats }, (_, i): UInt =>
      sent.body.bits(i * p.beatBytes * 8, part(i)).zext(p.beatBytes * 8),
    ).reduceRight((behind, d, i) => mux(beat.eq(i), d, behind)),
    last: 0,
  });
  when(insert.data.fire, () => {
    for (let i = 0; i < beats; i++)
      when(remembering.and(beat.eq(i)), () =>
        sent.body.setBits(i * p.beatBytes * 8, insert.data.payload.data.bits(0, part(i))),
      );
    when(beat.ne(beats), () => beat.set(beat.add(1)));
  });
  // Told with the beat that has the last of the bytes, or after the head of an answer without any: before the
  // next head comes.
  const { data } = insert.data.payload,
    now = Array.from({ length: beats }, (_, i): UInt =>
      mux(beat.eq(i), data.bits(0, part(i)), sent.body.bits(i * p.beatBytes * 8, part(i))),
    );
  const enough = node(
    sent.length.le(beat.zext(bodyLengthBits).add(1).shl(Math.log2(p.beatBytes))).or(beat.eq(beats - 1)),
  );
  const told = node(remembering.and(sent.length.any().not().or(insert.data.fire.and(enough))));
  requests.done(told, { ...sent, body: joinBytes(...now) });
  when(told, () => remembering.set(0));
  when(insert.head.fire, () => {
    sent.set({ status: v.status, opcode: v.opcode, length: v.length, entry: v.entry, body: v.body });
    remembering.set(v.remember);
    beat.set(0);
  });
  return hostData;
}
