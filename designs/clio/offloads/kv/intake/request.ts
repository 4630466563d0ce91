/** The request at hand: its registers, whether it is right, and the hash of its key. */
import { bit, cat, constant, node, reg, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import { beatsOf, bodyLengthBits, OffloadRequest } from "../../../offload/index.ts";
import { kvBody, opcode } from "../../../wire/index.ts";
import { classOf, operation, sipEnd } from "../layout.ts";
import { blockBits, type KvParameters, largestValue, sizeBits } from "../parameters.ts";
import { Asked, type IntakeIo } from "./ports.ts";

export function requestOf(io: IntakeIo, p: KvParameters) {
  const beat = p.beatBytes * 8,
    split = p.beatBytes < kvBody.bytes;
  const request = reg(OffloadRequest(p)),
    ended = reg(bit);
  const head = reg(uint(kvBody.bytes * 8)),
    asked = reg(Asked(p)),
    writeBeats = reg(uint(beatsOf(request.length, p).width));
  const table = reg(uint(blockBits)),
    tableKnown = reg(bit, { init: 0 }),
    failure = reg(uint(4));
  const bytes = io.requestData;
  // At 8 bytes a beat the first one waits here while the head's second is looked at.
  const waiting = split
    ? { held: reg(bit, { init: 0, name: "held" }), first: reg(uint(beat), { name: "first" }) }
    : undefined;
  return {
    request,
    /** All of its bytes have come. */
    ended,
    head,
    body: cutFields(kvBody, head),
    asked,
    /** Beats of the pair that are still to be written. */
    writeBeats,
    table,
    tableKnown,
    /** How it ends, if it does so here. */
    failure,
    bytes,
    waiting,
    held: waiting?.held ?? constant(0, 1),
  };
}
export type Request = ReturnType<typeof requestOf>;

/** The hash of its key: one round a cycle, with its word from a register, as two sums behind each other are enough. */
export function hashing() {
  const round = reg(uint(3)),
    hashed = reg(uint(32)),
    sip = [
      reg(uint(32), { name: "sip_0" }),
      reg(uint(32), { name: "sip_1" }),
      reg(uint(32), { name: "sip_2" }),
      reg(uint(32), { name: "sip_3" }),
    ] as const;
  return {
    round,
    hashed,
    sip,
    goOn: (to: readonly UInt[]): void => to.forEach((v, i) => sip[i as 0].set(v.is(32))),
  };
}

/** Whether the request is right, and what it is: a cycle behind its head. */
export function formOf({ request, body }: Request, p: KvParameters) {
  const code = request.opcode,
    kind = node(code.bits(1, 2));
  const known = node(cat(code.bits(3, 5), code.bit(0)).eq((opcode.KV_READ >> 3) << 1));
  const brings = node(kind.eq(operation.create).or(kind.eq(operation.update)));
  const size = node(body.valueSize.trunc(sizeBits));
  // Of what brings a value the bytes must be there, and not too many.
  const room = node(request.length.sub(kvBody.bytes));
  const fits = node(body.valueSize.le(largestValue(p)).and(room.ge(size.zext(bodyLengthBits))));
  const short = node(request.length.lt(kvBody.bytes));
  const right = reg(bit),
    hash = reg(uint(32)),
    writes = reg(bit),
    withValue = reg(bit),
    pairBytes = reg(uint(bodyLengthBits));
  const wanted = reg(uint(3));
  right.set(known.and(body.keySize.eq(8)).and(brings.not().or(fits)).and(short.not()));
  const sums = hashing();
  hash.set(sipEnd(sums.sip));
  writes.set(kind.ne(operation.read));
  withValue.set(brings);
  pairBytes.set(size.zext(bodyLengthBits).add(kvBody.bytes));
  wanted.set(classOf(size));
  return { code, kind, right, size, hash, writes, withValue, pairBytes, wanted, sums };
}
