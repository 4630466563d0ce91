/** A flat circuit: what the phases after `flatten` work on. */
import type { Covered } from "./covered.ts";
import type { Node, Source, Store } from "./node.ts";

/** A clock of the top module, and its reset port. */
export interface Clock {
  /** Number among the clock ports. */
  readonly index: number;
  /** The reset input's source, of which each register's style makes its own use. */
  readonly reset: Source | undefined;
  /** 0 resets. */
  readonly low: boolean;
}

/** A register, or a part of one that is always assigned together; or the data of a clocked memory read. */
export interface Register {
  readonly source: Source;
  readonly clock: Clock;
  /** After the edge, without what the top module's reset does. */
  readonly next: Node;
  /** Reset value, or initial value when `style` is none; undefined: it starts from the seed. */
  readonly init: bigint | undefined;
  readonly style: "sync" | "async" | "none";
  readonly scope: number;
}

export interface Write {
  readonly store: Store;
  readonly clock: Clock;
  readonly enable: Node;
  readonly address: Node;
  readonly data: Node;
  /** One bit per lane. */
  readonly mask: Node | undefined;
  readonly scope: number;
}

/** `fails` is 1 where the sentence is to be printed and the simulation to end. */
export interface Check {
  readonly clock: Clock;
  readonly fails: Node;
  readonly text: string;
  /** `<module>.v`, where the text stands. */
  readonly file: string;
  readonly scope: number;
}

/** A signal as a wave shows it. */
export interface Traced {
  /** As in the emitted text. */
  readonly name: string;
  readonly kind: "wire" | "reg";
  readonly signed: boolean;
  /** Its value; or the number of the clock port that it is. */
  readonly value: Node | { readonly clock: number };
}
/** An instance as a wave shows it. */
export interface TracedScope {
  readonly name: string;
  readonly signals: readonly Traced[];
  readonly below: readonly TracedScope[];
}

export interface Netlist {
  readonly nodes: readonly Node[];
  readonly inputs: readonly { readonly source: Source; readonly port: string }[];
  readonly outputs: readonly { readonly port: string; readonly node: Node }[];
  readonly clocks: readonly Clock[];
  readonly registers: readonly Register[];
  readonly stores: readonly Store[];
  readonly writes: readonly Write[];
  readonly checks: readonly Check[];
  /** Dotted paths of the instances, by their numbers. */
  readonly scopes: readonly string[];
  /** Their modules. */
  readonly modules: readonly string[];
  /** The top module with all signals below it, where a wave was asked for. */
  readonly traced?: TracedScope;
  /** What registers remember of a bench, where coverage was asked for; they are among `registers`. */
  readonly covered?: Covered;
}
