import { input, output, type Port, type Ports } from "../types/ports.ts";
import { uint, type UIntShape } from "../types/shape.ts";
import type { Bit, Inside, UInt, UIntVar } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { type Def, module } from "../build/module.ts";
import { mux, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { axiResponse, liteSlave, liteSlavePorts, type LiteSlavePorts } from "../lib/index.ts";
import { valueAt } from "../vectors/index.ts";
import {
  type FieldSpecs,
  isWritable,
  type NamedRegister,
  type Register,
  type RegisterField,
  type RegisterMap,
} from "./register.ts";
import { strobed, wordOf } from "./word.ts";
/** The map, and the values of its constants and its fields after reset. */
export interface RegisterSlaveParameters<R extends Register = Register> {
  /** Its registers. */ readonly map: RegisterMap<R>;
  /** Values by field: constants, and `rw` fields after reset. 0 when left out. */
  readonly values?: Readonly<Record<string, number>>;
}

const definition = module(
  "RegisterSlave",
  (p: RegisterSlaveParameters): Ports => ({
    ...liteSlavePorts(p.map.addressBits),
    ...Object.fromEntries(
      fieldsOf(p.map)
        .filter(f => f.kind !== "constant")
        .map(f => [f.name, f.kind === "live" || f.kind === "event" ? input(uint(f.width)) : output(uint(f.width))]),
    ),
  }),
  (ports, p) => {
    const io = ports as unknown as Inside<LiteSlavePorts>,
      field = ports as unknown as Readonly<Record<string, UIntVar>>;
    const initial = (f: RegisterField): number => p.values?.[f.name] ?? 0;
    const kept = new Map<string, UIntVar>();
    for (const f of fieldsOf(p.map))
      if (f.kind === "rw" || f.kind === "event")
        kept.set(
          f.name,
          reg(uint<number>(f.width), { init: f.kind === "rw" ? initial(f) : 0, name: `${f.name}_kept` }),
        );
    const value = (f: RegisterField): UInt => {
      switch (f.kind) {
        case "rw":
        case "event":
          return kept.get(f.name) as UInt;
        case "live":
          return field[f.name] as UInt;
        case "constant":
          return constant(initial(f), f.width);
        case "pulse":
          return constant(0, f.width);
      }
    };
    const registers = p.map.registers,
      wordBits = p.map.addressBits - 2;
    const at = (address: UInt, r: Register): Bit => address.bits(2, wordBits).eq(r.address / 4);
    const anyOf = (bits: readonly Bit[]): Bit => bits.reduce<Bit>((a, b) => a.or(b), constant(0, 1));
    for (const f of fieldsOf(p.map)) {
      if (f.kind === "rw") field[f.name]?.set(kept.get(f.name) as UInt);
      if (f.kind === "pulse") field[f.name]?.set(0);
    }
    liteSlave(io, {
      read: ({ address }) => {
        const words = registers.map(r => [r.address / 4, wordOf(r.fields, value)] as const);
        return {
          data: valueAt(address.bits(2, wordBits), words),
          resp: mux(anyOf(registers.map(r => at(address, r))), constant(axiResponse.OKAY, 2), axiResponse.DECERR),
        };
      },
      write: ({ address, data, strb, fire }) => {
        const cleared = new Map<string, UInt>();
        for (const r of registers.filter(isWritable)) {
          const here = node(fire.and(at(address, r)), { name: `write_${r.name}` });
          for (const f of r.fields) {
            const none = constant(0, f.width),
              given = (otherwise: UInt): UInt => strobed(f, data, strb, otherwise);
            if (f.kind === "rw") when(here, () => kept.get(f.name)?.set(given(kept.get(f.name) as UInt)));
            else if (f.kind === "pulse") when(here, () => field[f.name]?.set(given(none)));
            else if (f.kind === "event") cleared.set(f.name, mux(here, given(none), none));
          }
        }
        // An event in the cycle in which software clears is not lost.
        for (const [name, clear] of cleared)
          kept.get(name)?.set((kept.get(name) as UInt).and(clear.not()).or(field[name] as UInt));
        const writable = anyOf(registers.filter(isWritable).map(r => at(address, r))),
          readable = anyOf(registers.filter(r => !isWritable(r)).map(r => at(address, r)));
        return mux(
          writable,
          constant(axiResponse.OKAY, 2),
          mux(readable, constant(axiResponse.SLVERR, 2), axiResponse.DECERR),
        );
      },
    });
  },
  { nameOf: p => `${p.map.name}Registers` },
);

const fieldsOf = (map: RegisterMap): readonly RegisterField[] => map.registers.flatMap(r => r.fields);

type SpecsOf<R> = R extends NamedRegister<infer F> ? F : never;
type Merged<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never;
type PortOf<F> = F extends readonly [number, infer W extends number, infer K, string]
  ? Port<K extends "rw" | "pulse" ? "out" : "in", UIntShape<W>>
  : never;
/**
 * The AXI4-Lite channels, and a port for each field that is not a constant: out for what software sets, in for what
 * the hardware shows.
 */
export type RegisterSlavePorts<R extends Register> =
  Merged<SpecsOf<R>> extends infer F extends FieldSpecs
    ? LiteSlavePorts & { readonly [N in keyof F as F[N][2] extends "constant" ? never : N & string]: PortOf<F[N]> }
    : never;

/**
 * The registers of a map on AXI4-Lite, 32 bits. Latency: an answer comes 2 cycles after its address (and data);
 * initiation interval 1. Full: nothing is taken while an answer is not. Byte strobes count; the two low address bits
 * do not. Reading where nothing is gives 0 and DECERR, writing there DECERR; writing what only reads SLVERR. An `rw`
 * field shows a write in the cycle after it is done; a `pulse` shows in that very cycle. An `event` that happens while
 * it is cleared stays.
 */
export function RegisterSlave<const R extends Register>(p: RegisterSlaveParameters<R>): Def<RegisterSlavePorts<R>> {
  return definition(p) as never;
}
