/** The merge with the two stores that it fills, as they stand in the device. */
import {
  arrayOf,
  assertAlways,
  bit,
  connect,
  constant,
  input,
  instance,
  mergePorts,
  module,
  node,
  output,
  portArray,
  reg,
  sink,
  source,
  struct,
  uint,
  vec,
  when,
} from "../../../../../../hdl-dsl/index.ts";
import { ReadBeat } from "../../../../../../designs/shared/frame/index.ts";
import { HeaderJob, HeaderRead, HeaderStore } from "../../../../../../designs/supernic/rtl/headers/index.ts";
import {
  Arrived,
  classBits,
  EntryWrite,
  FrameBeat,
  inlets,
  payloadBeats,
  QueueHeads,
  Released,
} from "../../../../../../designs/supernic/rtl/inside/index.ts";
import { Merge, MergeEvents, type MergeParameters } from "../../../../../../designs/supernic/rtl/merge/index.ts";
import { FirstCell, PacketStore, StoreJob } from "../../../../../../designs/supernic/rtl/store/index.ts";

const storeOf = (p: MergeParameters) => ({
  cells: p.cells,
  cellBeats: 4,
  beatBytes: 64,
  payloadBeats: payloadBeats(p),
});

export const MergeStores = module(
  "MergeStores",
  (p: MergeParameters) =>
    mergePorts(
      { heads: input(vec(QueueHeads(p), inlets(p))) },
      portArray("take", inlets(p), source(uint(classBits))),
      portArray("frames", inlets(p), sink(FrameBeat)),
      {
        released: input(Released(p)),
        release: input(struct({ valid: bit, ctx: uint(Math.log2(p.contexts)) })),
        releaseCells: sink(FirstCell(p)),
        epoch: input(bit),
        users: input(EntryWrite("user")),
        quotas: input(vec(uint(Math.log2(p.contexts) + 1), p.users)),
        arrived: source(Arrived(p)),
        events: output(MergeEvents),
        leave: sink(HeaderJob(p)),
        left: source(HeaderRead(p)),
        leaveJob: sink(StoreJob(storeOf(p))),
        payload: source(ReadBeat(64)),
        freeContexts: output(uint(Math.log2(p.contexts) + 1)),
        freeCells: output(uint(Math.log2(p.cells) + 1)),
      },
    ),
  (io, p) => {
    const merge = instance("merge", Merge(p)),
      headers = instance("headers", HeaderStore(p)),
      store = instance("store", PacketStore(storeOf(p))),
      n = inlets(p);
    headers.look.set(0);
    for (let i = 0; i < n; i++) for (let k = 0; k < 6; k++) merge.heads.at(i).at(k).set(io.heads.at(i).at(k));
    arrayOf(io, "take", n).forEach((t, i) => connect(arrayOf(merge, "take", n)[i] as never, t));
    arrayOf(io, "frames", n).forEach((f, i) => connect(f, arrayOf(merge, "frames", n)[i] as never));
    connect(merge.enter, headers.enter);
    connect(headers.entered, merge.entered);
    connect(merge.write, store.write);
    connect(store.stored, merge.stored);
    merge.freeContexts.set(headers.free);
    merge.freeCells.set(store.free);
    merge.released.set(io.released);
    merge.epoch.set(io.epoch);
    merge.users.set(io.users);
    connect(merge.arrived, io.arrived);
    io.events.set(merge.events);
    headers.release.set(io.release);
    for (let i = 0; i < p.users; i++) headers.quotas.at(i).set(io.quotas.at(i));
    connect(io.leave, headers.leave);
    connect(headers.left, io.left);
    connect(io.leaveJob, store.leaveJob);
    connect(store.leave, io.payload);
    connect(io.releaseCells, store.release0);
    io.freeContexts.set(headers.free);
    io.freeCells.set(store.free);
    // Nothing else is done to the stores.
    const none = constant(0, 1);
    headers.back.valid.set(none);
    headers.back.payload.set({ ctx: 0, header: 0, mask: 0 });
    headers.dispatch.valid.set(none);
    headers.dispatch.payload.set({ ctx: 0 });
    headers.dispatched.ready.set(none);
    for (const s of [store.back0Job, store.back1Job, store.read0Job, store.read1Job]) {
      s.valid.set(none);
      s.payload.set({ first: 0, beats: 1 });
    }
    for (const s of [store.back0, store.back1]) {
      s.valid.set(none);
      s.payload.set({ data: 0, last: 0 });
    }
    store.read0.ready.set(none);
    store.read1.ready.set(none);
    store.release1.valid.set(none);
    store.release1.payload.set({ first: 0 });

    // A frame that has been taken never waits for a context or a cell.
    const waited = reg(uint(4), { init: 0, name: "enter_waited" }),
      wroteNone = reg(uint(5), { init: 0, name: "write_waited" });
    const waits = node(merge.enter.valid.andNot(merge.enter.ready).andNot(headers.entered.valid), {
        name: "enter_waits",
      }),
      stalls = node(merge.write.valid.andNot(merge.write.ready).andNot(store.stored.valid), { name: "write_waits" });
    when(waits, () => waited.set(waited.add(1))).otherwise(() => waited.set(0));
    when(stalls, () => wroteNone.set(wroteNone.add(1))).otherwise(() => wroteNone.set(0));
    assertAlways(waited.lt(4), "a frame that has been taken has its context");
    assertAlways(wroteNone.lt(8), "a frame that has been taken has its cells");
  },
  { nameOf: p => `MergeStores_p${p.ports}_u${p.users}_c${p.contexts}_k${p.cells}_f${p.frameBytes}` },
);
