/** Which processes exist, as offloads that keep what a process gives them have to know. */
import {
  bit,
  cat,
  constant,
  decode,
  fsm,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { ProcessOrder } from "../rtl/index.ts";

/** Processes of a word: for each a bit that it exists, and above them one each that it has been asked for. */
const perWord = 16;

/**
 * A bit for each of 65,536 process IDs: it exists. A second one tells that it has been asked for, so that software
 * knows whose keys there may be.
 *
 * `ask` is answered by `answer` 3 cycles later, or, while an order is carried out, up to 3 cycles after that; one ask
 * at a time, which stays until it is answered. `order` takes 4 cycles (`busy`), and one that comes while another is
 * carried out is lost: software waits for `busy` to fall. `used`: the process of the last order had been asked for
 * while it existed. PID 0 is as any other.
 * Reset: no process exists, which takes 4,096 cycles; `busy` is 1 and an ask waits.
 */
export const Processes = module(
  "OffloadProcesses",
  () => ({
    order: input(ProcessOrder),
    busy: output(bit),
    used: output(bit),
    /** For a cycle: what is kept for the process `pid` is to be removed. It was carried out as an order before. */
    forget: output(struct({ valid: bit, pid: uint(16) })),
    ask: input(struct({ valid: bit, pid: uint(16) })),
    answer: output(struct({ valid: bit, exists: bit })),
  }),
  io => {
    const wordBits = 16 - Math.log2(perWord);
    const words = ram(uint(2 * perWord), { depth: 2 ** wordBits, collision: "undefined", style: "block" });

    const clearing = reg(uint(wordBits + 1), { init: 0 });
    const cleared = node(clearing.bit(wordBits));
    when(cleared.not(), () => clearing.set(clearing.add(1)));

    const ordered = reg(bit, { init: 0 }),
      asked = reg(bit, { init: 0 });
    const orderPid = reg(uint(16)),
      orderExists = reg(bit),
      orderForgets = reg(bit),
      pid = reg(uint(16));
    const orders = reg(bit),
      used = reg(bit, { init: 0 });
    when(io.order.write.and(ordered.not()).and(cleared), () => {
      ordered.set(1);
      orderPid.set(io.order.pid);
      orderExists.set(io.order.exists);
      orderForgets.set(io.order.forget);
    });

    const word = words.readSync(pid.bits(4, wordBits));
    const one = node(decode(pid.trunc(4), perWord));
    const exists = node(word.trunc(perWord).and(one).any()),
      wasUsed = node(word.bits(perWord, perWord).and(one).any());
    const state = fsm(["idle", "read", "act"], "idle", m => ({
      idle: () => {
        orders.set(ordered);
        pid.set(mux(ordered, orderPid, io.ask.pid));
        when(cleared.and(ordered.or(io.ask.valid.and(asked.not()))), () => m.go("read"));
      },
      read: () => m.go("act"),
      act: () => {
        when(orders, () => {
          ordered.set(0);
          used.set(wasUsed);
        });
        m.go("idle");
      },
    }));
    const acts = node(state.is("act"));
    asked.set(acts.and(orders.not()));
    const found = reg(bit);
    found.set(exists);
    io.answer.set({ valid: asked, exists: found });
    io.busy.set(ordered.or(cleared.not()));
    io.used.set(used);
    io.forget.set({ valid: acts.and(orders).and(orderForgets), pid: orderPid });

    // An order sets its bit, and with the end of a process its second one falls; an ask of one that exists sets that.
    const others = one.not();
    const there = mux(orders, mux(orderExists, one, constant(0, perWord)), word.trunc(perWord).and(one));
    const keeps = node(mux(orders, orderExists, exists.not()));
    const asking = mux(
      orders.or(exists.not()),
      mux(keeps, word.bits(perWord, perWord).and(one), constant(0, perWord)),
      one,
    );
    const next = cat(word.bits(perWord, perWord).and(others).or(asking), word.trunc(perWord).and(others).or(there));
    words.write(
      acts.or(cleared.not()),
      mux(cleared, pid.bits(4, wordBits), clearing.trunc(wordBits)),
      mux(cleared, next, constant(0, 2 * perWord)),
    );
  },
  { nameOf: () => "OffloadProcesses" },
);
