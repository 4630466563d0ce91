/** The stream combinators, each within a module of its own. */
import { input, output, sink, source } from "../types/ports.ts";
import { bit, type Shape, struct, uint } from "../types/shape.ts";
import type { StreamIn, StreamOut } from "../types/value.ts";
import { wire } from "../build/declare.ts";
import { type Def, module } from "../build/module.ts";
import { creditReceiver, creditSender } from "../queues/credit.ts";
import { arbiter } from "../stream/arbiter.ts";
import { fork } from "../stream/fork.ts";
import { framed, insertHeader, packetise, removeHeader, splitHeader } from "../stream/framing.ts";
import { pipeline } from "../stream/pipeline.ts";
import { stage } from "../stream/stage.ts";
import { connect, connectAny } from "../stream/connect.ts";
import { demux, filter, gate, join, map } from "../stream/stream.ts";
import { throttle } from "../stream/throttle.ts";
import type { CatalogueEntry } from "./entry.ts";

const word = uint(32);
const Beat = struct({ data: uint(32), last: bit });
const one = { from: "from", to: "to" } as const;
const at = (i: number): string => `to${i}`;

/** One stream in, one out. */
const through = (name: string, to: Shape, build: (from: StreamIn<typeof word>) => unknown): Def =>
  module(
    name,
    () => ({ from: sink(word), to: source(to) }),
    io => connectAny(build(io.from) as StreamIn<Shape>, io.to),
  )();
/** One stream of packets in, one out. */
const throughBeats = (name: string, build: (from: StreamIn<typeof Beat>) => StreamIn<typeof Beat>): Def =>
  module(
    name,
    () => ({ from: sink(Beat), to: source(Beat) }),
    io => connect(build(io.from), io.to),
  )();
/** Several streams in, one out. */
const merging = (name: string, build: (from: readonly StreamIn<typeof Beat>[]) => StreamIn<typeof Beat>): Def =>
  module(
    name,
    () => ({ from0: sink(Beat), from1: sink(Beat), from2: sink(Beat), from3: sink(Beat), to: source(Beat) }),
    io => connect(build([io.from0, io.from1, io.from2, io.from3]), io.to),
  )();
/** One stream in, three out. */
const splitting = (name: string, build: (from: StreamIn<typeof word>) => readonly StreamIn<typeof word>[]): Def =>
  module(
    name,
    () => ({ from: sink(word), to0: source(word), to1: source(word), to2: source(word) }),
    io => {
      const outs = io as unknown as Readonly<Record<string, StreamOut<typeof word>>>;
      build(io.from).forEach((s, i) => {
        connect(s, outs[at(i)] as StreamOut<typeof word>);
      });
    },
  )();

const joined = module(
  "JoinUnit",
  () => ({ a: sink(word), b: sink(word), to: source(struct({ a: word, b: word })) }),
  io => connect(join({ a: io.a, b: io.b }), io.to),
);
const gated = module(
  "GateUnit",
  () => ({ from: sink(word), open: input(bit), to: source(word) }),
  io => connect(gate(io.from, io.open), io.to),
);
const headed = module(
  "InsertHeaderUnit",
  () => ({ header: sink(Beat), body: sink(Beat), to: source(Beat) }),
  io => connect(insertHeader(io.header, io.body, "last"), io.to),
);
const parted = module(
  "SplitHeaderUnit",
  () => ({ from: sink(Beat), header: source(Beat), body: source(Beat) }),
  io => {
    const { header, body } = splitHeader(io.from, 2, v => v.last);
    connect(header, io.header);
    connect(body, io.body);
  },
);
const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });
const multiplied = module(
  "PipelineUnit",
  () => ({ from: sink(Job), to: source(struct({ sum: uint(32), tag: uint(4) })) }),
  io => {
    pipeline(io.from)
      .stage(v => ({ product: v.a.mul(v.b) }))
      .stage(v => ({ sum: v.product.add(v.c) }))
      .into(io.to);
  },
);
const credited = module(
  "CreditUnit",
  () => ({ from: sink(word), to: source(word), left: output(uint(4)) }),
  io => {
    const returned = wire(bit);
    const sender = creditSender(io.from, 8, returned),
      receiver = creditReceiver(sender.out, 8);
    returned.set(receiver.returned);
    connect(receiver.out, io.to);
    io.left.set(sender.left.is(4));
  },
);

type Row = Omit<CatalogueEntry, "group" | "source" | "interval"> & {
  readonly file: string;
  readonly interval?: number | string;
};
const row = ({ file, interval, ...r }: Row): CatalogueEntry => ({
  group: "Streams",
  source: `hdl-dsl/${file}.ts`,
  interval: interval ?? 1,
  ...r,
});

/** Every combinator. */
export const streamEntries: readonly CatalogueEntry[] = [
  row({
    name: "map",
    file: "stream/stream",
    what: "another payload",
    def: through("MapUnit", word, s => map(s, word, v => v.add(1))),
    example: "32 bits, plus 1",
    latency: 0,
    timing: one,
  }),
  row({
    name: "filter",
    file: "stream/stream",
    what: "drops transfers",
    def: through("FilterUnit", word, s => filter(s, v => v.bit(0).not())),
    example: "32 bits, even ones",
    latency: 0,
    timing: one,
  }),
  row({
    name: "gate",
    file: "stream/stream",
    what: "lets pass while open",
    def: gated(),
    example: "32 bits",
    latency: 0,
  }),
  row({
    name: "join",
    file: "stream/stream",
    what: "one of each makes one",
    def: joined(),
    example: "two streams of 32 bits",
    latency: 0,
  }),
  row({
    name: "demux",
    file: "stream/stream",
    what: "to one of several",
    def: splitting("DemuxUnit", s => demux(s, s.payload.bits(0, 2), 3)),
    example: "32 bits, three outputs",
    latency: 0,
    timing: { from: "from", to: "to0" },
  }),
  row({
    name: "fork",
    file: "stream/fork",
    what: "copies, each taken on its own (eager)",
    def: splitting("EagerForkUnit", s => fork(s, 3)),
    example: "32 bits, three outputs, eager",
    latency: 0,
    timing: { from: "from", to: "to0" },
    proofs: ["fork"],
  }),
  row({
    name: "fork",
    file: "stream/fork",
    what: "copies, all taken together (lazy)",
    def: splitting("LazyForkUnit", s => fork(s, 3, "lazy")),
    example: "32 bits, three outputs, lazy",
    latency: 0,
    timing: { from: "from", to: "to0" },
    proofs: ["fork"],
  }),
  row({
    name: "arbiter",
    file: "stream/arbiter",
    what: "several onto one, fair (also named merge)",
    def: merging("RoundRobinUnit", s => arbiter(s)),
    example: "four streams of 33 bits, round robin",
    latency: 0,
    timing: { from: "from1", to: "to" },
  }),
  row({
    name: "arbiter",
    file: "stream/arbiter",
    what: "several onto one, by priority",
    def: merging("PriorityUnit", s => arbiter(s, { policy: "priority" })),
    example: "four streams of 33 bits, priority",
    latency: 0,
    timing: { from: "from1", to: "to" },
  }),
  row({
    name: "arbiter",
    file: "stream/arbiter",
    what: "several onto one, packets whole",
    def: merging("LockedUnit", s => arbiter(s, { last: v => v.last })),
    example: "four streams of 33 bits, round robin, locked to `last`",
    latency: 0,
    timing: { from: "from1", to: "to" },
  }),
  row({
    name: "stage",
    file: "stream/stage",
    what: "registers valid and payload",
    def: through("ForwardStage", word, s => stage(s, "forward")),
    example: "32 bits, forward",
    latency: 1,
    timing: one,
  }),
  row({
    name: "stage",
    file: "stream/stage",
    what: "registers ready",
    def: through("BackwardStage", word, s => stage(s, "backward")),
    example: "32 bits, backward",
    latency: 0,
    timing: one,
  }),
  row({
    name: "stage",
    file: "stream/stage",
    what: "registers both ways",
    def: through("FullStage", word, s => stage(s, "full")),
    example: "32 bits, full",
    latency: 1,
    timing: one,
  }),
  row({
    name: "pipeline",
    file: "stream/pipeline",
    what: "stages that carry fields along",
    def: multiplied(),
    example: "16 by 16 bits, plus 32: two stages",
    latency: 2,
    timing: one,
  }),
  row({
    name: "throttle",
    file: "stream/throttle",
    what: "one transfer in n cycles",
    def: through("ThrottleUnit", word, s => throttle(s, 4)),
    example: "32 bits, 4 cycles",
    latency: 0,
    interval: 4,
    timing: one,
  }),
  row({
    name: "creditSender",
    file: "queues/credit",
    what: "flow control without ready, both ends",
    def: credited(),
    example: "32 bits, 8 credits, no registers between",
    latency: 1,
    timing: one,
    proofs: ["credits"],
  }),
  row({
    name: "packetise",
    file: "stream/framing",
    what: "marks the last of n",
    def: through("PacketiseUnit", framed(word), s => packetise(s, 5)),
    example: "32 bits, packets of 5",
    latency: 0,
    timing: one,
  }),
  row({
    name: "insertHeader",
    file: "stream/framing",
    what: "header and body to one packet",
    def: headed(),
    example: "33 bits",
    latency: 0,
  }),
  row({
    name: "splitHeader",
    file: "stream/framing",
    what: "header and body apart",
    def: parted(),
    example: "33 bits, header of 2",
    latency: 0,
    timing: { from: "from", to: "header", send: { last: 1 } },
  }),
  row({
    name: "removeHeader",
    file: "stream/framing",
    what: "takes the header off",
    def: throughBeats("RemoveHeaderUnit", s => removeHeader(s, 2, v => v.last)),
    example: "33 bits, header of 2",
    latency: 0,
    proofs: ["splitHeader"],
  }),
];
