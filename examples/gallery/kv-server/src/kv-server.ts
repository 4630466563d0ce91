import {
  axisBeat,
  bit,
  connect,
  constant,
  filter,
  instance,
  map,
  module,
  output,
  reg,
  repeat,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  uint,
  when,
} from "mnemosyne";
import { beatBytes, beats, Frame, type Identity } from "./frame.ts";
import { judged } from "./receive.ts";
import { Table, type TableParameters } from "./table.ts";

export type ServerParameters = Identity & TableParameters;
const Beat = axisBeat(beatBytes);

/** A frame's beats one after the other; the next frame is taken with the last one. */
function send(from: StreamIn<typeof Frame>, to: StreamOut<typeof Beat>): void {
  const left = reg(uint(4), { init: 0 }),
    bytes = reg(Frame.fields.bytes),
    last = left.eq(1);
  from.ready.set(left.eq(0).or(last.and(to.ready)));
  when(to.fire, () => {
    left.set(left.sub(1));
    bytes.set(bytes.shr(8 * beatBytes));
  });
  when(from.fire, () => {
    left.set(beats);
    bytes.set(from.payload.bytes);
  });
  to.valid.set(left.any());
  to.payload.set({ data: bytes.trunc(8 * beatBytes), keep: repeat(constant(1, 1), beatBytes), last });
}

/**
 * A key-value server behind an Ethernet MAC: a request is one UDP frame, and its reply is the same frame with the
 * addresses changed over, a status, and a value. Frames that are no request are dropped with a pulse of `dropped`. A
 * reply's first beat leaves 7 cycles after the request's last one came; requests of 64 bytes are answered as fast as
 * they come. When `tx` waits, six requests are held, then `rx` waits. ARP is not answered. Reset forgets all keys.
 */
export const KvServer = module(
  "KvServer",
  (_p: ServerParameters) => ({ rx: sink(Beat), tx: source(Beat), dropped: output(bit) }),
  (io, p) => {
    const frames = judged(io.rx, p),
      table = instance(Table({ buckets: p.buckets, ways: p.ways }));
    const requests = filter(frames, f => f.good);
    connect(
      map(requests, Frame, f => ({ bytes: f.bytes })),
      table.request,
    );
    send(table.reply, io.tx);
    io.dropped.set(frames.fire.andNot(frames.payload.good));
  },
);
