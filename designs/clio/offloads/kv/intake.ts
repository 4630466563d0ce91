import { type Bit, constant, fsm, module } from "../../../../hdl-dsl/index.ts";
import { kvBody } from "../../wire/index.ts";
import { decideSteps, headSteps, turnSteps } from "./intake/accept.ts";
import { answer, writePair } from "./intake/outputs.ts";
import { partsOf, states } from "./intake/parts.ts";
import { intakePorts } from "./intake/ports.ts";
import { blockSteps, passSteps } from "./intake/serve.ts";
import { walkSteps } from "./intake/walk.ts";

/**
 * Takes requests one after another, refuses invalid ones, and finds the key's bucket and fingerprint. A
 * create or an update has its pair written to a new block at once, as it came (`kvBody` and the value, the owner's PID
 * in place of `user` and `key_size`). The bucket is searched meanwhile.
 *
 * MALFORMED: less than 12 bytes, key_size other than 8, an opcode that is not of Clio-KV. So is a value larger than the
 * block or the node takes, or larger than the bytes that came. Bytes behind the value are ignored. The first request
 * with a right form has the hash table allocated. While that or a block for a new pair is refused, requests end with
 * the status of the refusal and nothing is done.
 *
 * The host's request for a removal (`forgetOpcode`) is a walk over all buckets: deletes of any key of that process, one
 * at a time, between the other requests. A bucket is left when none is found there. A bucket in which no pair was ever
 * made is passed over in 3 cycles. Requests have every other turn, so a walk costs each at most 3 cycles. The reply has
 * a status alone: OK, or that of memory, which ends the walk.
 *
 * Latency: from `request` to `enter` 11 cycles (12 at 8 bytes a beat), 3 more for create and update when a block is at
 * hand. Initiation interval: 12 cycles for what has one beat (15 for create and update), one more for each further
 * beat. Full: waits for a place for what the request may give back (`credit`), for `block` and for `memory`. Reset: no
 * table.
 */
export const KvIntake = module(
  "KvIntake",
  intakePorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { left } = parts,
      { request, bytes, held, asked, table } = parts.state,
      { writes, wanted } = parts.form,
      { swept, due, turn, idle, sends } = parts.walk;
    const state = fsm(states, "idle", m => ({
      ...turnSteps(parts, m),
      ...walkSteps(parts, m),
      ...headSteps(parts, m),
      ...decideSteps(parts, m),
      ...blockSteps(parts, m),
      ...passSteps(parts, m),
    }));
    io.request.ready.set(state.is("idle").and(swept.or(due.and(turn)).not()));
    idle.set(state.is("idle"));
    sends.set(state.is("send"));
    const takingHead: Bit = p.beatBytes < kvBody.bytes ? state.is("head").and(held.not()) : constant(0, 1);
    bytes.ready.set(
      takingHead.or(state.is("drain").and(left)).or(state.is("send").and(io.memory.ready).and(held.not())),
    );

    io.take.valid.set(state.is("table").or(state.is("block")));
    io.take.payload.set({ table: state.is("table"), slot: 0, kind: wanted, context: request.context });
    io.taken.ready.set(state.is("tableWait").or(state.is("blockWait")));
    io.enter.set({
      valid: state.is("enter").and(io.credit.or(writes.not())),
      context: request.context,
      bucket: asked.bucket,
      writes,
    });
    io.asked.set(asked);
    io.table.set(table);

    writePair(parts, state.is("send"));
    answer(parts, state.is("answer"));
  },
  { nameOf: p => `KvIntake_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_d${p.maxData}` },
);
