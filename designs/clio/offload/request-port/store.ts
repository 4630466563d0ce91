/** Requests until they are answered: their headers, where their answers are remembered, and what the host answers. */
import {
  assignView,
  bit,
  cat,
  constant,
  mux,
  node,
  onehotMux,
  ram,
  reg,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../wire/index.ts";
import { onceVerdict } from "../once-table.ts";
import { bodyLengthBits } from "../types.ts";
import type { Apart, Decision } from "./judge.ts";
import type { Parted } from "./part.ts";
import { HostAnswer, requestHeader, type RequestPath } from "./types.ts";

export function storeOf({ slots, p, remembered }: RequestPath, { head }: Apart, decision: Decision) {
  const { decides, enters, here, looksUp, told } = decision;
  const contextBits = Math.log2(p.contexts),
    numberBits = Math.max(1, Math.ceil(Math.log2(slots.length))),
    placeBits = contextBits + numberBits + 1;
  const hostPlace = 2 ** (placeBits - 1);
  const headers = ram(uint(requestHeader * 8), {
    depth: 2 ** placeBits,
    collision: "undefined",
    style: "distributed",
    name: "headers",
  });
  const place = (number: number, context: UInt): UInt => cat(constant(number, numberBits + 1), context);
  const written = node(
    mux(
      enters,
      onehotMux(
        here,
        slots.map((s, k) => place(k, s.nextContext)),
      ),
      constant(hostPlace, placeBits),
    ),
    { name: "written" },
  );
  headers.write(decides, written, head.payload.header);
  // Index of the table entry of a request, to record the answer there.
  const Entry = struct({ valid: bit, entry: uint(Math.log2(remembered.entries)) });
  const entries = ram(Entry, {
    depth: 2 ** placeBits,
    collision: "undefined",
    style: "distributed",
    name: "entries",
  });
  entries.write(decides, written, { valid: looksUp.and(enters), entry: told.entry });

  return { headers, entries, placeBits, place, hostPlace };
}

/** A request that no offload gets is answered BUSY, or as it was before. */
export function answerByHost({ hostFull }: Parted, { clio }: Apart, { decides, enters, looksUp, told }: Decision) {
  const hostAnswer = reg(HostAnswer, { name: "host_answer" });
  const host = stream(HostAnswer, { name: "host" });
  host.valid.set(hostFull);
  assignView(host.payload, hostAnswer, "host");
  const again = node(looksUp.and(told.verdict.eq(onceVerdict.done)), { name: "again" });
  when(decides.and(enters.not()), () => {
    hostFull.set(1);
    hostAnswer.set({
      status: mux(again, told.status, statusBits.BUSY),
      opcode: mux(again, told.opcode, clio.opcode),
      length: mux(again, told.length.zext(bodyLengthBits), constant(0, bodyLengthBits)),
      body: told.body,
    });
  }).elseWhen(host.fire, () => hostFull.set(0));
  return { host, again };
}
