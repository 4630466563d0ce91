/** Frames on their way out, and the answers of the receiver among them. */
import {
  arbiter,
  bit,
  type Bit,
  cat,
  constant,
  map,
  mux,
  node,
  orTree,
  reg,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  unpack,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { Answer, answerFrame, answerOwnSum, answerSum, gbnEnd } from "../../../../shared/go-back-n/rtl/index.ts";
import { minimumFrame } from "../../../../shared/wire/index.ts";
import { kvNodePort } from "../../../wire/index.ts";
import type { MadeBeat } from "../make.ts";
import { payloadBits } from "../payload.ts";
import { addressOf, type Nodes } from "./nodes.ts";
import { beatBytes, type GbnTaskParameters, PeerFields, taskPeer } from "./records.ts";

type Beats = StreamIn<ReturnType<typeof AxisBeat>>;

/**
 * A register that takes a beat when it has none: every second cycle, and no way leads from behind it to what is before
 * it: for frames of one beat, and for those that memory gives one after the other.
 */
export function unhurried(from: Beats, name: string): Beats {
  const out = stream(AxisBeat(beatBytes), { name }),
    full = reg(bit, { init: 0, name: `${name}_full` }),
    held = reg(AxisBeat(beatBytes), { name: `${name}_held` });
  from.ready.set(full.not());
  when(full.not(), () => {
    full.set(from.valid);
    held.set(from.payload);
  }).elseWhen(out.ready, () => full.set(0));
  out.valid.set(full);
  out.payload.set(held);
  return out;
}
/** ACK and NACK frames of 60 bytes, a beat each: the sum of the header's words in two steps, then the frame. */
export function answersOf(
  p: GbnTaskParameters,
  jobs: StreamIn<ReturnType<typeof Answer>>,
  nodes: Nodes,
): { readonly out: Beats; readonly busy: Bit } {
  const shape = Answer({ ...p, ...taskPeer }),
    peerOf = (peer: { readonly identity: UInt; readonly address: UInt }) =>
      unpack(PeerFields, cat(peer.address, peer.identity));
  const Summed = struct({ answer: shape, sum: uint(20), mac: uint(48), ip: uint(32) });
  const half = stage(
      map(jobs, Summed, answer => {
        const { mac, ip } = addressOf(nodes, peerOf(answer.peer).node);
        return { answer, mac: mac.is(48), ip: ip.is(32), sum: answerOwnSum(ip).is(20) };
      }),
      "forward",
      { name: "half_summed" },
    ),
    whole = stage(
      map(half, Summed, v => ({ ...v, sum: answerSum(v.sum, peerOf(v.answer.peer).ip).is(20) })),
      "forward",
      { name: "summed" },
    );
  const out = map(whole, AxisBeat(beatBytes), ({ answer, sum, mac, ip }) => {
    const { mac: to, ip: at, port, slot, ingress } = peerOf(answer.peer),
      own = { mac, ip, port: constant(kvNodePort, 16) };
    return {
      data: answerFrame(answer, { own, peer: { mac: to, ip: at, port, slot } }, sum, ingress).zext(payloadBits),
      keep: constant((1n << BigInt(minimumFrame)) - 1n, beatBytes),
      last: 1,
      user: 0,
    };
  });
  return { out: unhurried(out, "answer_out"), busy: orTree([half.valid, whole.valid]) };
}

/** Where the port stands that a frame carries with it: in the four unused bits of its Go-Back-N header. */
const portAt = 8 * gbnEnd - 4;
/** Bytes of a beat: the lowest ones, without a gap. */
const countOf = (keep: UInt): UInt =>
  // Tree of sums, eight lanes at a time: which is the last eighth, and how many of it.
  Array.from({ length: keep.width / 8 }, (_, i) => keep.bits(8 * i, 8)).reduce<UInt>(
    (n, lanes, i) =>
      mux(
        lanes.bit(0),
        Array.from({ length: 8 }, (_, b) => b)
          .reduce<UInt>((m, b) => mux(lanes.bit(b), constant(8 * i + b + 1, 7), m), constant(0, 7))
          .is(7),
        n,
      ),
    constant(0, 7),
  );

/** Whose beat is next: chosen by number, which is half of the logic of a choice with a bit for each. */
const Turn = struct({ from: uint(2), last: bit });
function inTurn(from: readonly [Beats, Beats, Beats, Beats]): Beats {
  const turns = from.map((f, i) => map(f, Turn, ({ last }) => ({ from: i, last }), { name: `turn_${i}` })),
    [a, b, c, d] = from.map(f => cat(f.payload.user, f.payload.last, f.payload.keep, f.payload.data));
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("unreachable: four");
  return map(
    arbiter(turns, { last: v => v.last, name: "frames_out" }),
    AxisBeat(beatBytes),
    ({ from: which }) => {
      const low = mux(which.bit(0), b, a),
        high = mux(which.bit(0), d, c),
        beat = mux(which.bit(1), high, low);
      return {
        data: beat.bits(0, payloadBits).is(payloadBits),
        keep: beat.bits(payloadBits, beatBytes).is(beatBytes),
        last: beat.bit(payloadBits + beatBytes),
        user: beat.bit(payloadBits + beatBytes + 1),
      };
    },
    { name: "chosen_beat" },
  );
}
/** Frames take turns. Each leaves by the port that it carries in its first beat, whose place is 0 on the wire. */
export function leave(
  from: readonly [Beats, Beats, Beats, Beats],
  make: StreamOut<typeof MadeBeat>,
): { readonly busy: Bit } {
  const out = stage(inTurn(from), "forward", { name: "leaving" }),
    first = reg(bit, { init: 1, name: "first_beat_leaves" }),
    held = reg(uint(4), { name: "port_of_frame" }),
    { data, keep, last, user } = out.payload,
    port = node(mux(first, data.bits(portAt, 4), held), { name: "leaves_by" });
  when(out.fire, () => {
    first.set(last);
    held.set(port);
  });
  make.valid.set(out.valid);
  out.ready.set(make.ready);
  make.payload.set({
    data: cat(
      data.bits(portAt + 4, payloadBits - portAt - 4),
      mux(first, constant(0, 4), data.bits(portAt, 4)),
      data.bits(0, portAt),
    ).is(payloadBits),
    count: countOf(keep).is(7),
    last,
    bad: user.and(last),
    port: port.is(4),
  });
  return { busy: node(out.valid, { name: "leaves_now" }) };
}
