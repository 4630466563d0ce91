import {
  bit,
  cat,
  constant,
  enumOf,
  fsm,
  module,
  mux,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "mnemosyne";
import { alu, condition } from "./alu.ts";
import { decode } from "./decode.ts";
import { isMisaligned, loaded, storeLanes } from "./lanes.ts";

/** One access to memory, of the word at `address`; `strobe` marks the bytes that a write changes. */
export const MemoryRequest = struct({ address: uint(32), write: bit, data: uint(32), strobe: uint(4) });
/** Every request is answered, in order; a write's `data` mean nothing. */
export const MemoryAnswer = struct({ data: uint(32), error: bit });
/** Why the core stands still. `fault`: memory answered with an error. */
export const Cause = enumOf("Cause", ["none", "ecall", "ebreak", "illegal", "misaligned", "fault"]);
/** An instruction that took effect in this cycle, and what it wrote: `rd` is 0 for nothing. */
export const Retired = struct({ valid: bit, pc: uint(32), rd: uint(5), value: uint(32) });

/**
 * RV32I, one instruction at a time, and FENCE.I. Memory that answers `m` cycles after a request makes an instruction
 * take 4 + m cycles, a load or a store 5 + 2 m. ECALL, EBREAK, an instruction that is none, an address that its size
 * does not divide, and an error of memory stop the core with a cause. Reset starts it again at `start`; no answer to a
 * request from before may follow it.
 */
export const Rv32i = module(
  "Rv32i",
  (_p: { readonly start: number }) => ({
    request: source(MemoryRequest),
    answer: sink(MemoryAnswer),
    cause: output(Cause),
    retired: output(Retired),
  }),
  (io, p) => {
    const pc = reg(uint(32), { init: p.start }),
      instruction = reg(uint(32)),
      cause = reg(Cause, { init: "none" });
    const a = reg(uint(32)),
      b = reg(uint(32)),
      base = reg(uint(32)),
      offset = reg(uint(32)),
      second = reg(uint(32)),
      operation = reg(uint(3)),
      alternate = reg(bit);
    const result = reg(uint(32)),
      target = reg(uint(32)),
      taken = reg(bit);
    const op = decode(instruction),
      isAccess = op.load.or(op.store),
      computes = op.immediate.or(op.register);
    const misaligned = isMisaligned(result, op.funct3.bits(0, 2)),
      lanes = storeLanes(second, result, op.funct3.bits(0, 2)),
      wrongTarget = taken.and(target.bit(1));

    const file = ram(uint(32), { depth: 32, collision: "undefined" }),
      arriving = io.answer.payload.data,
      first = file.readSync(arriving.bits(15, 5), { en: io.answer.fire }),
      other = file.readSync(arriving.bits(20, 5), { en: io.answer.fire });
    const rs1 = mux(op.rs1.any(), first, constant(0, 32)),
      rs2 = mux(op.rs2.any(), other, constant(0, 32));

    const step = fsm(["Fetch", "Arrive", "Operands", "Execute", "Access", "Answer", "Write", "Stopped"], "Fetch", s => {
      const stop = (why: "ecall" | "ebreak" | "illegal" | "misaligned" | "fault"): void => {
        cause.set(why);
        s.go("Stopped");
      };
      return {
        Fetch: () => when(io.request.fire, () => s.go("Arrive")),
        Arrive: () => {
          when(io.answer.fire, () => {
            instruction.set(arriving);
            s.go("Operands");
            when(io.answer.payload.error, () => stop("fault"));
          });
        },
        Operands: () => {
          a.set(priority([op.lui, 0], [op.auipc.or(op.jal).or(op.jalr), pc], rs1));
          b.set(priority([op.jal.or(op.jalr), 4], [op.register.or(op.branch), rs2], op.value));
          base.set(mux(op.jalr, rs1, pc));
          offset.set(op.value);
          second.set(rs2);
          operation.set(mux(computes, op.funct3, constant(0, 3)));
          alternate.set(op.alternate);
          s.go("Execute");
          when(op.illegal, () => stop("illegal"));
          when(op.ecall, () => stop("ecall"));
          when(op.ebreak, () => stop("ebreak"));
        },
        Execute: () => {
          result.set(alu(a, b, operation, alternate));
          const sum = base.add(offset);
          target.set(cat(sum.bits(1, 31), sum.bit(0).andNot(op.jalr)));
          taken.set(op.jal.or(op.jalr).or(op.branch.and(condition(a, b, op.funct3))));
          s.go("Write");
          when(isAccess, () => s.go("Access"));
        },
        Access: () => {
          when(misaligned, () => stop("misaligned")).elseWhen(io.request.fire, () => s.go("Answer"));
        },
        Answer: () => {
          when(io.answer.fire, () => {
            result.set(loaded(arriving, result, op.funct3));
            s.go("Write");
            when(io.answer.payload.error, () => stop("fault"));
          });
        },
        Write: () => {
          pc.set(mux(taken, target, pc.add(4)));
          s.go("Fetch");
          when(wrongTarget, () => stop("misaligned"));
        },
        Stopped: () => undefined,
      };
    });

    const fetches = step.is("Fetch"),
      accesses = step.is("Access");
    io.request.valid.set(fetches.or(accesses.andNot(misaligned)));
    io.request.payload.set({
      address: mux(fetches, pc, cat(result.bits(2, 30), constant(0, 2)).is(32)),
      write: accesses.and(op.store),
      data: lanes.data,
      strobe: lanes.strobe,
    });
    io.answer.ready.set(step.is("Arrive").or(step.is("Answer")));

    const retires = step.is("Write").andNot(wrongTarget),
      writes = op.branch.or(op.store).or(op.fence).not(),
      rd = mux(writes, op.rd, constant(0, 5));
    // What x0 is given stays there and is never read.
    file.write(retires, rd, result);
    io.retired.set({ valid: retires, pc, rd, value: result });
    io.cause.set(cause);
  },
);
