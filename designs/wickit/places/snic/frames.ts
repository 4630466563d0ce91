/** Frames of the engine's client and replies to clients: whole ones, each with the port by which it leaves. */
import {
  bit,
  type Bit,
  encodeOnehot,
  fsm,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  type StreamOut,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { AxisBeat } from "../../../shared/frame/index.ts";
import { MadeBeat } from "../../../supernic/rtl/index.ts";

/** The client's frames, all of them to the node. */
export function framesToNode(from: StreamIn<ReturnType<typeof AxisBeat>>, port: UInt): StreamIn<typeof MadeBeat> {
  const to = stream(MadeBeat, { name: "to_node" }),
    { data, keep, last } = from.payload,
    // The highest byte that counts: those below it do, too.
    top = encodeOnehot(keep.and(keep.shr(1).not()));
  to.valid.set(from.valid);
  to.payload.set({ data: data.is(512), count: top.zext(7).add(1), last, bad: 0, port: port.is(4) });
  from.ready.set(to.ready);
  return to;
}

/**
 * Both, in turns where both wait. Latency 1 cycle before a frame, none of its beats; initiation interval its beats and
 * 1. Full: `make` waits, and with it both, and nobody else.
 */
export function takeTurns(
  client: StreamIn<typeof MadeBeat>,
  replies: StreamIn<typeof MadeBeat>,
  make: StreamOut<typeof MadeBeat>,
): { readonly idle: Bit } {
  return scope("turns", () => {
    const before = reg(bit, { init: 0, name: "client_was_last" }),
      ends = node(make.fire.and(make.payload.last), { name: "frame_ends" });
    const phase = fsm(
      ["Choose", "Client", "Reply"],
      "Choose",
      s => ({
        Choose: () => {
          when(client.valid.and(before.not().or(replies.valid.not())), () => s.go("Client")).elseWhen(
            replies.valid,
            () => s.go("Reply"),
          );
        },
        Client: () => {
          before.set(1);
          when(ends, () => s.go("Choose"));
        },
        Reply: () => {
          before.set(0);
          when(ends, () => s.go("Choose"));
        },
      }),
      { name: "turn" },
    );
    const [isClient, isReply] = [phase.is("Client"), phase.is("Reply")];
    make.valid.set(isClient.and(client.valid).or(isReply.and(replies.valid)));
    make.payload.set(mux(isClient, client.payload, replies.payload));
    client.ready.set(isClient.and(make.ready));
    replies.ready.set(isReply.and(make.ready));
    return { idle: phase.is("Choose") };
  });
}
