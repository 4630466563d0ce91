/**
 * Who is freed leaves his queue when that is due, whatever is looked up before and behind him: in the cycle in which he
 * goes, the queue that changes is his, and it was looked up as such. Several regions and users, so that the queues
 * looked up one after the other differ. The order within a queue is the other proof's.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  cover,
  module,
  node,
  output,
  past,
  type Proof,
} from "../../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../../inside/index.ts";
import { openQueues, queuesPorts } from "../../scheduler/index.ts";

const sizes: DeviceSizes = {
    ports: 2,
    users: 2,
    contexts: 4,
    cells: 4,
    regions: 2,
    slots: 2,
    branches: 1,
    credits: 2,
    rules: 4,
    macs: 4,
    frameBytes: 128,
  },
  /** Cycles from one that is freed to its look-up, and to the cycle in which it goes. */
  LOOKED = 4,
  GONE = LOOKED + 2;

const harness = module(
  "QueueFreedProof",
  () => ({ ...queuesPorts(sizes), goes: output(bit) }),
  io => {
    const { freeing, settles, dueAt } = openQueues(io, sizes),
      { free, choice } = io,
      { region, user, slow } = free.queue,
      place = node(cat(region, user), { name: "model_place" }),
      { gone, at } = settles;
    assumeAlways(past(free.valid, LOOKED).and(choice.valid).not(), "nobody is looked up with one that is freed");
    assumeAlways(
      past(free.valid, LOOKED + 1)
        .and(io.start.valid)
        .not(),
      "nobody starts while one is freed",
    );
    assertAlways(gone.valid.eq(past(free.valid, GONE)), "who is freed goes, once, and nobody else does");
    assertAlways(gone.valid.not().or(gone.slow.eq(past(slow, GONE))), "out of the kind of queue in which he is");
    assertAlways(gone.valid.not().or(at.eq(past(place, GONE))), "what changes when he goes is his queue");
    assertAlways(freeing.due.valid.not().or(dueAt.eq(past(place, LOOKED + 1))), "what is due before is his queue");
    io.goes.set(gone.valid);
    cover(gone.valid.and(freeing.due.valid).and(at.ne(dueAt)), "two of different queues go one behind the other");
    cover(gone.valid.and(past(choice.valid, 1)), "one goes while another one is due");
  },
);

export const queueFreedProof: Proof = {
  module: "Queues, who is freed",
  harness: harness(),
  own: true,
  faults: [
    {
      what: "one is freed a cycle early, before it is known who is behind it",
      from: "gone_valid <= freeing_4_valid",
      to: "gone_valid <= freeing_3_valid",
    },
    {
      what: "the queue of a choice is looked up in place of that of who is freed",
      from: "look_at = freeing_3_valid ?",
      to: "look_at = freeing_2_valid ?",
    },
    {
      what: "one that is freed goes out of the other kind of queue",
      from: "gone_slow <= freeing_4_slow",
      to: "gone_slow <= freeing_3_slow",
    },
  ],
};
