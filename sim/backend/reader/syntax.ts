/** Verilog-2005 as read: the emitter's subset, and what engineers write beside it. Sizes are not known yet. */
import type { Place } from "./unreadable.ts";

interface At {
  readonly at: Place;
}
export type Expression = At &
  (
    | { readonly kind: "number"; readonly value: bigint; readonly width: number | undefined; readonly signed: boolean }
    | { readonly kind: "string"; readonly text: string }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "unary"; readonly op: string; readonly a: Expression }
    | { readonly kind: "binary"; readonly op: string; readonly a: Expression; readonly b: Expression }
    | { readonly kind: "ternary"; readonly cond: Expression; readonly a: Expression; readonly b: Expression }
    | { readonly kind: "concat"; readonly parts: readonly Expression[] }
    | { readonly kind: "repeat"; readonly count: Expression; readonly a: Expression }
    | { readonly kind: "sign"; readonly signed: boolean; readonly a: Expression }
    | { readonly kind: "bit"; readonly of: Expression; readonly index: Expression }
    | { readonly kind: "range"; readonly of: Expression; readonly high: Expression; readonly low: Expression }
    | {
        readonly kind: "part";
        readonly of: Expression;
        readonly base: Expression;
        readonly width: Expression;
        readonly down: boolean;
      }
  );

export type Statement = At &
  (
    | { readonly kind: "block"; readonly body: readonly Statement[] }
    | { readonly kind: "assign"; readonly target: Expression; readonly value: Expression; readonly blocking: boolean }
    | { readonly kind: "if"; readonly cond: Expression; readonly then: Statement; readonly otherwise?: Statement }
    | {
        readonly kind: "case";
        readonly on: Expression;
        readonly items: readonly { readonly labels: readonly Expression[]; readonly body: Statement }[];
        readonly otherwise: Statement | undefined;
      }
    | {
        readonly kind: "for";
        readonly variable: string;
        readonly from: Expression;
        readonly cond: Expression;
        readonly step: Expression;
        readonly body: Statement;
      }
    | { readonly kind: "task"; readonly name: string; readonly args: readonly Expression[] }
  );

/** `[high:low]`; undefined: one bit. */
export type Range = { readonly high: Expression; readonly low: Expression } | undefined;

export interface Declaration extends At {
  readonly name: string;
  readonly what: "wire" | "reg" | "integer";
  readonly port: "input" | "output" | undefined;
  readonly signed: boolean;
  readonly range: Range;
  /** Of a memory: its first and last address. */
  readonly words: Range;
  /** `wire x = ...`, `reg x = ...` */
  readonly value: Expression | undefined;
}
export interface Parameter extends At {
  readonly name: string;
  readonly range: Range;
  readonly signed: boolean;
  readonly value: Expression;
  readonly local: boolean;
}
export interface Event {
  readonly edge: "posedge" | "negedge";
  readonly name: string;
}
export interface Always extends At {
  /** Empty: whatever it reads. */
  readonly events: readonly Event[];
  readonly body: Statement;
}
export interface InstanceOf extends At {
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly (readonly [string, Expression])[];
  readonly pins: readonly (readonly [string, Expression | undefined])[];
}
export interface Module extends At {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly declarations: readonly Declaration[];
  readonly assigns: readonly (At & { readonly target: Expression; readonly value: Expression })[];
  readonly always: readonly Always[];
  readonly initials: readonly Statement[];
  readonly instances: readonly InstanceOf[];
  /** Hierarchical names that it reads. */
  readonly dotted: readonly string[];
}
