/**
 * A module as data: signals, statements, memories and instances. The builders make it, the checks read it, and the
 * emitter turns it into Verilog.
 */
import type { Expr } from "./expr.ts";
import type { Position } from "../source/source-name.ts";
import type { Ports } from "../types/ports.ts";
import type { Enumeration } from "../types/shape.ts";

export type { Position } from "../source/source-name.ts";

/** `reset`: the behaviour of a clock domain's registers under reset; `none` has no reset port at all. */
export interface ClockDomain {
  readonly name: string;
  readonly clock: string;
  readonly reset: string | undefined;
  readonly kind: "sync" | "async" | "none";
  /** The reset port is active low. */
  readonly low?: true | undefined;
  /** The clock is made inside the module, and so is the reset (active high): neither is a port. */
  readonly made?: MadeClock | undefined;
}
export interface MadeClock {
  /** An output of an instance. */
  readonly clock: Signal;
  readonly reset: Signal | undefined;
  /** The reset comes from anywhere: only the registers that synchronise it hang on it. */
  readonly raw?: true | undefined;
}

/**
 * A flat vector of bits with a name. `input`/`output`: ports. `wire`: combinational, assigned by statements. `reg`:
 * clocked, assigned by statements. `instanceIn`: input port of a sub-module, assigned by statements here.
 * `instanceOut`: output of a sub-module. `memData`: result of a synchronous memory read.
 */
export interface Signal {
  readonly kind: "input" | "output" | "wire" | "reg" | "instanceIn" | "instanceOut" | "memData";
  /** Unique in the module once the module is finished (builders rename clashes of automatic names). */
  name: string;
  readonly width: number;
  readonly signed: boolean;
  /** reg: reset value, undefined = not reset. */
  readonly init?: bigint | undefined;
  /** reg without a reset value: what the built-in simulator starts it with. Undefined: a number from the seed. */
  readonly start?: bigint | undefined;
  /** reg, memData: its domain. Ports: the domain they belong to (known once the module is finished). */
  domain?: ClockDomain | undefined;
  readonly position: Position | undefined;
  /** Port name, stream part, field path: `["push", "payload", "tag"]`. For ports and instance ports. */
  readonly path?: readonly string[] | undefined;
  /** Names of the values of an FSM state register, for localparams and waveforms. */
  readonly states?: readonly string[] | undefined;
  /** Codes of the states; undefined: their numbers in order, from 0. */
  readonly codes?: readonly bigint[] | undefined;
  /** Names of the values, of a signal of an enumeration. Set by its view. */
  enumeration?: Enumeration | undefined;
  /** Attributes such as keep or async_reg: name -> value. */
  readonly attributes?: Readonly<Record<string, string | number>> | undefined;
  /** instanceIn / instanceOut: whose. */
  readonly instance?: Instance | undefined;
  /** The signal may be unread: the unread check stays quiet. */
  readonly mayBeUnread?: boolean | undefined;
  /** reg: the user says of a value from another clock domain that one bit of it changes at a time. */
  readonly oneBitAtATime?: boolean | undefined;
  /** A stream's ready that the module must drive, or a stream's valid: for the stream checks. */
  readonly role?: "valid" | "ready" | "payload" | undefined;
}

/**
 * Drives bits lo .. lo+width-1 of a wire, output, reg or instanceIn. Within a module the last assignment in
 * program order wins.
 */
export interface Assign {
  readonly kind: "assign";
  readonly target: Signal;
  readonly lo: number;
  readonly width: number;
  readonly value: Expr;
  readonly position: Position | undefined;
}
export interface If {
  readonly kind: "if";
  readonly cond: Expr;
  readonly then: Stmt[];
  readonly otherwise: Stmt[];
  readonly position: Position | undefined;
}
/** At most one case's labels match (the builders refuse doubles); `otherwise` is undefined when there is no default. */
export interface Switch {
  readonly kind: "switch";
  readonly on: Expr;
  readonly cases: readonly { readonly labels: readonly Expr[]; readonly body: Stmt[] }[];
  otherwise: Stmt[] | undefined;
  /** Every value that can occur has a case: all names of an enumeration. */
  readonly complete?: boolean | undefined;
  readonly position: Position | undefined;
}
/**
 * Clocked write of one word; `mask` has one bit per lane of memory.width / mask.width bits. Runs in the
 * port's clock domain.
 */
export interface MemWrite {
  readonly kind: "memWrite";
  readonly port: WritePort;
  readonly address: Expr;
  readonly data: Expr;
  readonly mask: Expr | undefined;
  readonly position: Position | undefined;
}
/** Checked at every clock edge outside reset. */
export interface Property {
  readonly kind: "property";
  readonly what: "assert" | "assume" | "cover";
  readonly cond: Expr;
  readonly message: string;
  /** What a simulator prints, of a check that was read from Verilog: `message` is empty then. */
  readonly printed?: string | undefined;
  readonly domain: ClockDomain;
  readonly position: Position | undefined;
}
export type Stmt = Assign | If | Switch | MemWrite | Property;

export interface WritePort {
  readonly memory: Memory;
  readonly domain: ClockDomain;
  readonly position: Position | undefined;
}
/**
 * Clocked read: `data` (a memData signal) takes the word at `address` when `enable` (undefined = always), else holds.
 */
export interface ReadPort {
  readonly memory: Memory;
  readonly data: Signal;
  readonly address: Expr;
  readonly enable: Expr | undefined;
  readonly domain: ClockDomain;
  /** The port writes too, at the same address: what it reads in an edge at which it does. */
  readonly own?: { readonly write: WritePort; readonly reads: OwnRead } | undefined;
  readonly position: Position | undefined;
}
/** What a port reads that writes at the same edge: the word before, the word written, or nothing (its output stays). */
export type OwnRead = "old" | "new" | "unchanged";
/**
 * Result of a synchronous read when the same edge writes that word: the `old` word, the `new` one, or `undefined`.
 * `undefined` is x: the user promises not to look.
 */
export type Collision = "old" | "new" | "undefined";
export interface Memory {
  name: string;
  readonly width: number;
  readonly depth: number;
  readonly collision: Collision;
  readonly style: "block" | "distributed" | "ultra" | "auto";
  /** Initial words from address 0; missing ones are 0 when any is given, otherwise the contents start undefined. */
  readonly init: readonly bigint[] | undefined;
  readonly position: Position | undefined;
  readonly writePorts: WritePort[];
  readonly readPorts: ReadPort[];
}

/** Another module inside this one. Every input leaf has an instanceIn signal here, every output leaf an instanceOut. */
export interface Instance {
  name: string;
  readonly circuit: Circuit;
  /** By the sub-module's flattened port name. */
  readonly connections: Map<string, Signal>;
  /** Domain of the parent that drives each domain of the child (by name). */
  readonly domains: ReadonlyMap<string, ClockDomain>;
  /**
   * A reset of its own beside its default domain's: an instanceIn signal, in `connections` under the name of
   * that domain's reset.
   */
  reset?: Signal | undefined;
  readonly position: Position | undefined;
}

/** A stream known to the module (a port, or an inner one), for checks and hang diagnosis. Signals are leaf names. */
export interface StreamInfo {
  readonly name: string;
  readonly dir: "in" | "out" | "inner";
  readonly valid: Signal;
  readonly ready: Signal;
  readonly payload: readonly Signal[];
}

/** A module after elaboration: ports, signals, statements, instances. Checks, emitter and simulator read it. */
export interface Circuit {
  /** Verilog module name, parameters included: `Fifo_width64_depth16`. */
  readonly name: string;
  /** Parameters as `name = value`, for the file header. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly ports: Ports;
  /** Those whose clocks are ports. */
  readonly domains: readonly ClockDomain[];
  /** Those whose clocks are made inside. */
  readonly made: readonly ClockDomain[];
  readonly signals: readonly Signal[];
  readonly memories: readonly Memory[];
  readonly instances: readonly Instance[];
  readonly streams: readonly StreamInfo[];
  readonly body: readonly Stmt[];
  readonly position: Position | undefined;
  /** A black box has ports only; its contents come from the vendor, or from this Verilog text for simulation. */
  readonly blackBox?:
    | {
        readonly simulation: string | undefined;
        readonly parameters: readonly (readonly [string, number | string])[];
        /** Outputs that rise and fall with its clock pin. */
        readonly follows: readonly string[];
      }
    | undefined;
}
