import {
  bit,
  type Bit,
  cat,
  constant,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  scope,
  uint,
  type UInt,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters } from "../../config/index.ts";
import { registers } from "../../wire/index.ts";

/** A register of a context to be written. */
export interface RegisterWrite {
  readonly en: Bit;
  readonly context: UInt;
  readonly register: UInt;
  readonly data: UInt;
}

/** The core's side: two reads, whose words come a cycle later, and its write. */
export interface RegisterPorts {
  readonly read: (reads: { readonly context: UInt; readonly a: UInt; readonly b: UInt }) => void;
  readonly write: (w: RegisterWrite) => void;
  readonly a: UInt;
  readonly b: UInt;
}

/**
 * The registers of all contexts: two reads of the running one, 1 cycle later, and one write. The core's result comes
 * first, then what memory brings, then arguments: `granted` says which of the latter two writes. The core writes in one
 * cycle of four at most, so nobody waits long. It never reads what is written in that cycle: a context that runs gets
 * neither arguments nor answers.
 */
export function registerFile(
  p: EngineParameters,
  others: readonly [memory: RegisterWrite, request: RegisterWrite],
): RegisterPorts & { readonly granted: readonly [memory: Bit, request: Bit] } {
  return scope("file", () => {
    const depth = 2 ** contextBits(p) * registers,
      context = wire(uint(contextBits(p)), { name: "read_context" }),
      coreWrite = {
        en: wire(bit, { name: "core_writes" }),
        register: wire(uint(4), { name: "core_register" }),
        data: wire(uint(64), { name: "core_data" }),
      },
      at = (of: UInt, register: UInt): UInt => cat(of, register);
    const [memory, request] = others,
      memoryWrites = node(memory.en.and(coreWrite.en.not()), { name: "memory_writes" }),
      requestWrites = node(request.en.and(coreWrite.en.not()).and(memory.en.not()), { name: "request_writes" });
    const grants = [coreWrite.en, memoryWrites, requestWrites],
      writes = [{ ...coreWrite, context }, memory, request];
    const write = {
      en: node(orTree(grants), { name: "writes" }),
      address: node(
        onehotMux(
          grants,
          writes.map(w => at(w.context, w.register)),
        ),
        { name: "write_address" },
      ),
      data: node(
        onehotMux(
          grants,
          writes.map(w => w.data),
        ),
        { name: "write_data" },
      ),
    };
    const copy = (name: string) => {
      const register = wire(uint(4), { name: `${name}_register` }),
        words = ram(uint(64), { depth, collision: "undefined", style: depth > 64 ? "block" : "distributed", name });
      words.write(write.en, write.address, write.data.is(64));
      return { register, word: words.readSync(at(context, register), { name: `${name}_word` }) };
    };
    const a = copy("registers_a"),
      b = copy("registers_b");
    return {
      granted: [memoryWrites, requestWrites],
      a: a.word,
      b: b.word,
      read: reads => {
        context.set(reads.context);
        a.register.set(reads.a.is(4));
        b.register.set(reads.b.is(4));
      },
      write: w => {
        coreWrite.en.set(w.en);
        coreWrite.register.set(w.register.is(4));
        coreWrite.data.set(w.data.is(64));
      },
    };
  });
}

/** A register's content: 0 when the context has never written it, whatever an earlier request left there. */
export const known = (isKnown: Bit, word: UInt): UInt => mux(isKnown, word, constant(0, 64));
