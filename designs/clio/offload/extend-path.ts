import {
  arbiter,
  type Bit,
  connect,
  constant,
  type Def,
  fromBits,
  input,
  type Inside,
  instance,
  module,
  orTree,
  output,
  sink,
  source,
  type UInt,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../shared/frame/index.ts";
import { NetConfig, OffloadControl, OffloadEvents, OffloadState } from "../rtl/index.ts";
import { forgetting, type Forgetting } from "./forget.ts";
import { mergeInternal, splitInternal } from "./internal-link.ts";
import { memoryFrames, memoryReplies } from "./memory-port.ts";
import type { OnceParameters } from "./once-table.ts";
import { Processes } from "./processes.ts";
import { replyFrames } from "./reply-port.ts";
import { requestFrames } from "./request-port.ts";
import { OffloadSlot } from "./slot.ts";
import type { SlotParameters } from "./slot/ports.ts";
import { type keyedOffloadPorts, type OffloadParameters, offloadPid, type offloadPorts } from "./types.ts";

/** An offload as a build names it. */
export interface Offload {
  readonly name: string;
  /** The opcodes that go to it. */
  readonly opcodes: readonly number[];
  /**
   * Operations that are done at most once, however often a client repeats them (once-table.ts): their replies have 12
   * bytes of body at most.
   */
  readonly once?: readonly number[];
  /**
   * It keeps what a process gives it for that process alone. It gets requests of processes that exist only, those of
   * others go to the software; and with a process goes all that it keeps for it (`forgetOpcode`).
   */
  readonly owned?: true;
  readonly build: (
    p: OffloadParameters,
  ) => Def<ReturnType<typeof offloadPorts>> | Def<ReturnType<typeof keyedOffloadPorts>>;
}

export interface ExtendPathParameters extends SlotParameters {
  /** Operations remembered, so that none is done twice. */
  readonly once: OnceParameters;
  /**
   * Bit of the receiver's MAC that is set in a reply when more replies to the same request follow; none unless a
   * transport uses it.
   */
  readonly partBit?: number;
}

/** The ports of the path. */
const extendPorts = (p: ExtendPathParameters) => {
  const beat = AxisBeat(p.beatBytes);
  return {
    config: input(NetConfig),
    rx: sink(beat),
    tx: source(beat),
    socRx: source(beat),
    socTx: sink(beat),
    nodeRx: source(beat),
    nodeTx: sink(beat),
    nodeSocRx: sink(beat),
    nodeSocTx: source(beat),
    events: output(OffloadEvents),
    control: input(OffloadControl),
    state: output(OffloadState),
  };
};
type ExtendIo = Inside<ReturnType<typeof extendPorts>>;

/** An offload in its slot. */
function placeOffload(io: ExtendIo, o: Offload, k: number, p: Omit<ExtendPathParameters, "once" | "partBit">) {
  const slot = instance(`slot_${k}`, OffloadSlot(p));
  const built = o.build({
    beatBytes: p.beatBytes,
    contexts: p.contexts,
    maxData: p.maxData,
    ...(p.transportBytes !== undefined && { transportBytes: p.transportBytes }),
  });
  const reset = { reset: slot.inReset };
  const keyed = isKeyed(built) ? instance(o.name, built, reset) : undefined,
    offload = keyed ?? instance(o.name, built, reset);
  keyed?.secret.set(io.control.secret);
  slot.pid.set(offloadPid(k));
  slot.control.set({ hold: io.control.hold.bit(k), patience: io.control.patience, limit: io.control.limit });
  connect(slot.request, offload.request);
  connect(slot.requestData, offload.requestData);
  connect(offload.reply, slot.reply);
  connect(offload.replyData, slot.replyData);
  connect(offload.memory, slot.memory);
  connect(offload.memoryData, slot.memoryData);
  connect(slot.memoryReply, offload.memoryReply);
  connect(slot.memoryReplyData, offload.memoryReplyData);
  return slot;
}
type Slots = readonly ReturnType<typeof placeOffload>[];

/** What belongs to processes goes with them. */
function removalsOf(io: ExtendIo, offloads: readonly Offload[], slots: Slots) {
  const processes = offloads.some(o => o.owned) ? instance("processes", Processes()) : undefined;
  processes?.order.set(io.control.process);
  const seen = io.control.process.write.and(io.control.process.seen);
  const removals = slots.map((s, k) =>
    processes && offloads[k]?.owned ? forgetting(s, processes.forget, seen, `forget_${k}`) : undefined,
  );
  const under = removals.filter(r => r !== undefined),
    anyOf = (of: (r: Forgetting) => Bit): Bit => orTree([constant(0, 1), ...under.map(of)]);
  return { processes, removals, anyOf };
}

/** Tells what the offloads do, and how they are. */
function report(
  io: ExtendIo,
  slots: Slots,
  { processes, anyOf }: ReturnType<typeof removalsOf>,
  requests: ReturnType<typeof requestFrames>,
): void {
  const bySlot = (of: (s: (typeof slots)[number]) => Bit): UInt => fromBits(slots.map(of)).zext(4);
  io.state.set({
    held: bySlot(s => s.state.held),
    stuck: bySlot(s => s.state.stuck),
    active: bySlot(s => s.state.active),
    since: Array.from({ length: 4 }, (_, k) => slots[k]?.state.since ?? constant(0, 24)),
    processes: {
      busy: processes?.busy ?? 0,
      used: processes?.used ?? 0,
      forgetting: anyOf(r => r.active),
      forgotten: anyOf(r => r.over).and(anyOf(r => r.active).not()),
      failed: anyOf(r => r.over.and(r.failed)),
    },
  });
  io.events.set({
    requests: fromBits(slots.map((s, k) => s.events.requests.and((requests.forgets[k] as Bit).not()))).zext(4),
    accesses: bySlot(s => s.events.accesses),
    busy: requests.busy,
    repeated: requests.repeated,
  });
}

/**
 * The extend path with these offloads, slot 0 first (paper §4.3.2, §4.4.6): offloads between the node and its
 * surroundings. In the module `node_*` are the node's ports from the other side, `rx` to `soc_tx` what the node
 * would have had.
 *
 * Frames of the extend path with an offload's opcode reach that offload, and never the software. An offload's memory
 * requests come to the node as frames of an internal client. An idle offload costs the network nothing. A busy one
 * shares the way in (`mergeInternal`) and at most `outstanding` of the node's request slots. A stuck one stops itself
 * (slot.ts). Latency 0 on `rx`, `tx` and `soc_tx`, 1 cycle on `soc_rx` at 64-byte beats. Initiation interval 1.
 * `events`: the counted events (four slots at most). `control.hold` resets offloads, each alone (slot.ts). Requests
 * that an offload held are answered BUSY. Requests done at most once are answered EXPIRED, as it is unknown whether
 * they were done; so is a repetition of such a request.
 */
export const extendPath = (offloads: readonly Offload[]) =>
  module(
    "ExtendPath",
    extendPorts,
    (io, { once, partBit, ...p }) => {
      const slots = offloads.map((o, k) => placeOffload(io, o, k, p));
      const owned = removalsOf(io, offloads, slots),
        { processes, removals } = owned;
      const requests = requestFrames(io.nodeSocRx, {
        slots: slots.map((s, k) => ({
          ...s,
          opcodes: (offloads[k] as Offload).opcodes,
          once: (offloads[k] as Offload).once ?? [],
          removal: removals[k],
        })),
        processes,
        p,
        remembered: once,
        config: io.config,
      });
      connect(requests.soc, io.socRx);
      connect(
        arbiter(
          [
            replyFrames(
              slots.map((s, k) => ({ ...s, answer: removals[k]?.answer ?? s.answer })),
              requests,
              { ...p, ...(partBit !== undefined && { partBit }) },
              io.config,
            ),
            io.socTx,
          ],
          { last: v => v.last, name: "soc" },
        ),
        io.nodeSocTx,
      );
      report(io, slots, owned, requests);
      const { network, internal } = splitInternal(io.nodeTx, p.beatBytes);
      connect(network, io.tx);
      memoryReplies(internal, slots, p);
      connect(mergeInternal(io.rx, memoryFrames(slots, p, io.config), p.beatBytes), io.nodeRx);
    },
    {
      nameOf: p =>
        `ExtendPath_b${p.beatBytes}_${offloads.map(o => o.name).join("_")}${p.partBit === undefined ? "" : `_q${p.partBit}`}`,
    },
  );

type Keyed = Def<ReturnType<typeof keyedOffloadPorts>>;
const isKeyed = (def: ReturnType<Offload["build"]>): def is Keyed => "secret" in def.ports;
