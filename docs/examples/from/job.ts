import { bit, fsm, input, module, output, reg, uint, when } from "../../../hdl-dsl/index.ts";

/** Runs for `cycles` cycles after `start`, then holds `done` until `taken`. A `start` while it runs is not seen. */
export const Job = module(
  "Job",
  () => ({ start: input(bit), cycles: input(uint(8)), taken: input(bit), busy: output(bit), done: output(bit) }),
  io => {
    const left = reg(uint(8), { init: 0 });
    const phase = fsm(["Idle", "Running", "Done"], "Idle", s => ({
      Idle: () => {
        when(io.start, () => {
          left.set(io.cycles);
          s.go("Running");
        });
      },
      Running: () => {
        left.set(left.sub(1));
        when(left.le(1), () => s.go("Done"));
      },
      Done: () => {
        when(io.taken, () => s.go("Idle"));
      },
    }));
    io.busy.set(phase.is("Running"));
    io.done.set(phase.is("Done"));
  },
);
