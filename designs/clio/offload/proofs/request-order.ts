/**
 * The order of requests on a key: writers are alone, and those that list are one at a time. Each waits for the requests
 * before it that conflict, and for nothing else.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  orTree,
  output,
  type Proof,
  reg,
  source,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { OrderEnter, OrderLeave, RequestOrder } from "../request-order.ts";

const CONTEXTS = 4,
  KEY_BITS = 1;
const contextBits = Math.log2(CONTEXTS),
  parameters = { contexts: CONTEXTS, keyBits: KEY_BITS };
/** Cycles from the moment when a request could begin to its `start`. */
const SOON = 2;

const harness = module(
  "RequestOrderProof",
  () => ({
    enter: input(OrderEnter(parameters)),
    leave: input(OrderLeave(parameters)),
    start: source(uint(contextBits)),
    present: output(uint(CONTEXTS)),
  }),
  io => {
    const dut = instance("dut", RequestOrder(parameters)),
      each = <T>(f: (i: number) => T): T[] => Array.from({ length: CONTEXTS }, (_, i) => f(i));
    dut.enter.set(io.enter);
    dut.leave.set(io.leave);
    connect(dut.start, io.start);
    io.present.set(dut.inside.is(CONTEXTS));
    const waited = moduleObeys(io.start, "start");
    const marked = (given: Bit, context: UInt, name: string): UInt =>
      node(mux(given, decode(context, CONTEXTS), constant(0, CONTEXTS)), { name });

    // Contexts inside, contexts begun, and their keys; and of each pair, the one that came first.
    const inside = reg(uint(CONTEXTS), { init: 0, name: "model_inside" }),
      begun = reg(uint(CONTEXTS), { init: 0, name: "model_begun" });
    const keys = reg(vec(uint(KEY_BITS), CONTEXTS), { name: "model_key" }),
      writes = reg(vec(bit, CONTEXTS), { name: "model_writes" });
    const keyed = reg(vec(bit, CONTEXTS), { name: "model_keyed" }),
      lists = reg(vec(bit, CONTEXTS), { name: "model_lists" });
    const before = reg(vec(uint(CONTEXTS), CONTEXTS), { init: each(() => 0), name: "model_before" });
    const entering = marked(io.enter.valid, io.enter.context, "model_entering"),
      leaving = marked(io.leave.valid, io.leave.context, "model_leaving");
    const starting = marked(io.start.fire, io.start.payload, "model_starting");
    inside.set(inside.or(entering).and(leaving.not()));
    begun.set(begun.or(starting).and(leaving.not()));
    each(i => {
      when(entering.bit(i), () => {
        keys.at(i).set(io.enter.key);
        keyed.at(i).set(io.enter.keyed);
        lists.at(i).set(io.enter.lists);
        writes.at(i).set(io.enter.writes);
        before.at(i).set(inside.and(leaving.not()));
      }).otherwise(() => before.at(i).set(before.at(i).and(leaving.not())));
    });
    assumeAlways(entering.and(inside).any().not(), "a context enters when it is not inside");
    assumeAlways(leaving.and(begun.not()).any().not(), "a context leaves when it has begun");

    /** Whether i and k may not be under way together. */
    const same = (i: number, k: number): Bit =>
      keyed
        .at(i)
        .and(keyed.at(k))
        .and(i === k ? constant(1, 1) : keys.at(i).eq(keys.at(k)));
    const meet = (i: number, k: number): Bit =>
      same(i, k)
        .and(writes.at(i).or(writes.at(k)))
        .or(lists.at(i).and(lists.at(k)));
    /** Contexts that i must wait for. */
    const blocked = each(i =>
      node(orTree(each(k => before.at(i).bit(k).and(meet(i, k)))), { name: `model_blocked_${i}` }),
    );
    const waits = each(i => node(inside.bit(i).and(begun.bit(i).not()), { name: `model_waits_${i}` }));
    assertAlways(io.present.eq(inside), "inside are those who entered and have not left");
    each(i => {
      const offered = node(io.start.valid.and(io.start.payload.eq(i)), { name: `model_offered_${i}` });
      assertAlways(offered.not().or(waits[i] as Bit), "who begins is inside and has not begun");
      assertAlways(offered.not().or((blocked[i] as Bit).not()), "who begins waits for nobody");
      // No other context keeps it from beginning, but those whose turn is before.
      const could = reg(uint(contextBits), { init: 0, name: `model_could_${i}` });
      const free = node((waits[i] as Bit).and((blocked[i] as Bit).not()).and(io.start.valid.not()), {
        name: `model_free_${i}`,
      });
      could.set(mux(free, mux(could.eq(SOON), could, could.add(1)), constant(0, contextBits)));
      assertAlways(could.ne(SOON), "while somebody could begin, somebody is offered in the second cycle at the latest");
    });
    const alone = each(i =>
      each(k => k)
        .filter(k => k > i)
        .map(k => begun.bit(i).and(begun.bit(k)).and(meet(i, k))),
    ).flat();
    assertAlways(orTree(alone).not(), "who writes is alone with its key, who lists alone");
    const two = node(begun.bit(0).and(begun.bit(1)).and(same(0, 1)), { name: "model_two" });
    cover(two, "two read one key");
    cover((blocked[2] as Bit).and(waits[2] as Bit).and(two), "a third waits for both");
    cover(waited.and(io.start.fire), "a start is taken after a stall");
    cover(orTree(each(i => (blocked[i] as Bit).and(writes.at(i).not()))), "one that reads waits for one that writes");
  },
);

export const requestOrderProof: Proof = {
  module: `RequestOrder, ${CONTEXTS} contexts, ${2 ** KEY_BITS} keys`,
  harness: harness(),
  long: "minutes",
  faults: [
    { what: "who leaves as another enters is waited for for ever", from: / & ~leaving\[0\] & /, to: " & " },
    { what: "readers do not wait for who writes", from: /\(writes\[1\] \| enter_writes\)/, to: "enter_writes" },
    { what: "all wait for everybody on the key", from: /\(writes\[1\] \| enter_writes\)/, to: "1'b1" },
    { what: "two that list are under way together", from: /\(lists\[1\] & enter_lists\)/, to: "1'b0" },
  ],
};
