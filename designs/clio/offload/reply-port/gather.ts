/** Answers of all slots and of the host, each with the header of its request. */
import {
  arbiter,
  bit,
  type Bit,
  map,
  mux,
  node,
  stage,
  type StreamIn,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { clioHeader, frameOffsets, statusBits } from "../../wire/index.ts";
import { rememberedBytes } from "../once-table.ts";
import { requestHeader, type Requests } from "../request-port/types.ts";
import { type BodyBeat, bodyLengthBits, type OffloadReply } from "../types.ts";

/** The reply side's view of a slot. */
export interface ReplySide {
  readonly answer: StreamIn<ReturnType<typeof OffloadReply>>;
  readonly answerData: StreamIn<ReturnType<typeof BodyBeat>>;
  /** The answer is to a request that its offload was reset from. */
  readonly lost: Bit;
}

/** An answer on its way: whose it is, and how it ends. */
const fieldsOf = (slots: number) => ({
  number: uint(Math.ceil(Math.log2(slots + 1))),
  status: uint(4),
  opcode: uint(8),
  length: uint(bodyLengthBits),
  more: bit,
  lost: bit,
  /** Of the host's own answers. */
  body: uint(rememberedBytes * 8),
});
/** With its request's header. `remember`: the answer is to be kept, at `entry`. */
const HeadedOf = (slots: number, entryBits: number) => {
  const { lost: _lost, ...kept } = fieldsOf(slots);
  return struct({ ...kept, header: uint(requestHeader * 8), remember: bit, entry: uint(entryBits) });
};

export function gather(slots: readonly ReplySide[], requests: Requests) {
  const { store } = requests,
    hostNumber = slots.length;
  const Answer = struct({ ...fieldsOf(slots.length), place: uint(store.placeBits) });
  const answers = slots.map((s, k) =>
    map(
      s.answer,
      Answer,
      ({ context, ...v }) => ({ ...v, place: store.place(k, context), number: k, lost: s.lost, body: 0 }),
      { name: `answer_${k}` },
    ),
  );
  const host = map(
    requests.host,
    Answer,
    v => ({ ...v, place: store.hostPlace, number: hostNumber, more: 0, lost: 0 }),
    { name: "host_answer" },
  );
  // The entry is read as the answer leaves its slot; afterwards its place may be another's.
  const granted = arbiter([...answers, host], { name: "granted" });
  const noted = requests.entryOf(granted.payload.place);
  const Headed = HeadedOf(slots.length, noted.entry.width);
  // The progress of an operation that is done at most once is unknown; all others can be done again.
  const askedHeader = node(store.read(granted.payload.place), { name: "asked_header" }),
    askedClio = cutFields(clioHeader, askedHeader, frameOffsets.clio);
  const lostStatus = mux(noted.valid, statusBits.EXPIRED, statusBits.BUSY);
  const headed = stage(
    map(
      granted,
      Headed,
      ({ place: _, lost, ...v }) => ({
        ...v,
        status: mux(lost, lostStatus, v.status),
        opcode: mux(lost, askedClio.opcode, v.opcode),
        header: askedHeader,
        remember: noted.valid.and(v.more.not()).and(v.number.ne(hostNumber)),
        entry: noted.entry,
      }),
      { name: "headed" },
    ),
    "full",
    { name: "to_sum" },
  );

  return headed;
}
export type Headed = ReturnType<typeof gather>;
