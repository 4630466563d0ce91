/** A module in which every operator finds something. */
import {
  bit,
  constant,
  fsm,
  input,
  module,
  mux,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";

const Pair = struct({ left: uint(8), right: uint(8) });

export const Subject = module(
  "Subject",
  () => ({
    rx: sink(Pair),
    tx: source(Pair),
    mode: input(uint(2)),
    limit: input(uint(8)),
    level: output(uint(8)),
    old: output(uint(8)),
    busy: output(bit),
    picked: output(uint(8)),
    flag: output(bit),
  }),
  io => {
    const fill = reg(uint(8), { init: 3 }),
      words = ram(uint(8), { depth: 16, collision: "new" });
    const takes = io.rx.valid.and(io.tx.ready);
    io.tx.payload.left.set(io.rx.payload.left);
    io.tx.payload.right.set(io.rx.payload.right);
    io.tx.valid.set(io.rx.valid.and(fill.lt(io.limit).or(io.mode.eq(2))));
    io.rx.ready.set(io.tx.ready.and(fill.lt(io.limit).or(io.mode.eq(2))));
    when(takes.and(fill.lt(200)), () => {
      fill.set(fill.add(5));
      words.write(takes, fill.bits(0, 4), io.rx.payload.left, io.mode);
    })
      .elseWhen(io.mode.eq(1), () => {
        fill.set(fill.sub(io.limit));
      })
      .otherwise(() => {
        fill.set(mux(io.mode.eq(3), io.limit, mux(io.limit.all(), constant(7, 8), fill)));
      });
    const phase = fsm(["Rest", "Run", "Stop"], "Rest", s => ({
      Rest: () => {
        when(io.rx.valid.not(), () => {
          s.go("Run");
        });
      },
      Run: () => {
        when(takes, () => {
          s.go("Stop");
        });
      },
      Stop: () => {
        s.go("Rest");
      },
    }));
    io.busy.set(phase.is("Run").or(io.limit.any()));
    io.level.set(fill);
    io.old.set(words.readSync(fill.bits(1, 4), { en: takes }));
    const flag = reg(bit, { init: 0 });
    when(takes, () => {
      flag.set(1);
    }).elseWhen(io.mode.eq(0), () => {
      flag.set(0);
    });
    io.flag.set(flag);
    io.picked.set(fill.shl(io.mode));
  },
);
