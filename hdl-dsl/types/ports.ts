import type { Shape, UIntShape } from "./shape.ts";

/** The direction of a port, seen from its module. */
export type Direction = "in" | "out";
/** The other direction. */
export type Back<D> = D extends "in" ? "out" : "in";

/** How a port looks in Verilog, when it is not to look as the language makes it. */
export interface PortLook {
  /** The port's name, as it is; of a stream or an interface what its vectors' names begin with. */
  readonly name?: string;
  /**
   * `axi`: as users of AXI name them: `s_axis_tvalid`, `s_axis_tdata`, `m_axi_awaddr`. Or a word for each part:
   * `{ valid: "vld", "payload.last": "eop" }`.
   */
  readonly names?: "axi" | Readonly<Record<string, string>>;
  /** On each vector: `{ mark_debug: "true" }`. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  /**
   * The bus definition that Vivado is to see (`busType`): each vector gets X_INTERFACE_INFO, its clock and reset say
   * what they belong to.
   */
  readonly busType?: string;
}
/** Bus definitions of Vivado; AXI4-Lite has that of AXI4. */
export const busType = {
  axiStream: "xilinx.com:interface:axis:1.0",
  axi4: "xilinx.com:interface:aximm:1.0",
} as const;

/** A plain port of a module: `dir` as seen from inside. */
export interface Port<D extends "in" | "out" = "in" | "out", S extends Shape = Shape> {
  readonly port: "plain";
  readonly dir: D;
  readonly shape: S;
  readonly look?: PortLook;
  /** Marks a port that is unread or undriven on purpose (a reserved pin), so that the unread check stays quiet. */
  readonly unused?: boolean;
  /** Clock domain, by its name in the body (`clockDomain`); the default one when left out. */
  readonly domain?: string;
}
/**
 * A valid/ready stream port: `in` is a sink (the module consumes), `out` a source. Flattened to
 * `name_valid`, `name_ready`, `name_payload[_field]`.
 */
export interface StreamPort<D extends "in" | "out" = "in" | "out", S extends Shape = Shape> {
  readonly port: "stream";
  readonly dir: D;
  readonly shape: S;
  readonly look?: PortLook;
  /** Clock domain, by its name in the body (`clockDomain`); the default one when left out. */
  readonly domain?: string;
}
/**
 * Ports that belong together, as one side of them declares them: `out` is what that side drives. `flip` gives the other
 * side. Flattened with the interface's name before the members'.
 */
export interface Interface<M extends Ports = Ports> {
  readonly port: "interface";
  readonly members: M;
  readonly look?: PortLook;
  /** Its members are the sides of a pad (`inout`). */
  readonly pad?: true;
}
/** What a module can have as a port: a value, a stream, or several of them under one name. */
export type AnyPort = Port | StreamPort | Interface;
/** The ports of a module, by name. */
export interface Ports {
  readonly [name: string]: AnyPort;
}

/** What a port can be told beside its shape. */
export interface PortOptions {
  /** The port is unused on purpose: a reserved pin. */
  readonly unused?: boolean;
  /** Clock domain, by its name in the body (`clockDomain`). */
  readonly domain?: string;
  /** How it looks in Verilog: its name, names of its parts, attributes. */
  readonly look?: PortLook;
}

/** An input of the given shape. */
export function input<const S extends Shape>(shape: S, o: PortOptions = {}): Port<"in", S> {
  return { port: "plain", dir: "in", shape, ...o };
}
/** An output of the given shape. */
export function output<const S extends Shape>(shape: S, o: Pick<PortOptions, "domain" | "look"> = {}): Port<"out", S> {
  return { port: "plain", dir: "out", shape, ...o };
}
/** A stream that the module consumes: valid and payload come in, ready goes out. */
export function sink<const S extends Shape>(
  shape: S,
  o: Pick<PortOptions, "domain" | "look"> = {},
): StreamPort<"in", S> {
  return { port: "stream", dir: "in", shape, ...o };
}
/** A stream that the module produces: valid and payload go out, ready comes in. */
export function source<const S extends Shape>(
  shape: S,
  o: Pick<PortOptions, "domain" | "look"> = {},
): StreamPort<"out", S> {
  return { port: "stream", dir: "out", shape, ...o };
}

/** Ports that belong together, as the side declares them that begins: a master. They may be interfaces themselves. */
export function interfaceOf<const M extends Ports>(members: M): Interface<M> {
  if (Object.keys(members).length === 0) throw new RangeError("interfaceOf: at least one member is needed");
  return { port: "interface", members };
}

/** The same port with another look in Verilog, for ports that are made by a function: `axi4Bus`, `axiStream`. */
export function withLook<const P extends AnyPort>(p: P, look: PortLook): P {
  return { ...p, look: { ...p.look, ...look } };
}

/** The three sides of a pad. */
export type PadSides<W extends number, E extends number = 1> = {
  readonly in: Port<"in", UIntShape<W>>;
  readonly out: Port<"out", UIntShape<W>>;
  readonly enable: Port<"out", UIntShape<E>>;
};

/**
 * A pad of the top module, which is driven or let go: `out` while `enable` is 1, else z; `in` is what stands on
 * it. `perBit`: an enable for each bit. Simulators see the three sides; `withPads` joins them to one inout port.
 * @param o.look how it is named in the Verilog
 * @param o.perBit an enable for each bit
 */
export function inout<const W extends number>(
  shape: UIntShape<W>,
  o?: { readonly look?: PortLook },
): Interface<PadSides<W>>;
export function inout<const W extends number>(
  shape: UIntShape<W>,
  o: { readonly look?: PortLook; readonly perBit: true },
): Interface<PadSides<W, W>>;
export function inout(
  shape: UIntShape,
  o: { readonly look?: PortLook; readonly perBit?: true } = {},
): Interface<PadSides<number, number>> {
  const enable: UIntShape = o.perBit === true ? shape : { kind: "uint", width: 1 };
  const members = { in: input(shape, { unused: true }), out: output(shape), enable: output(enable) };
  return { port: "interface", members, pad: true, ...(o.look === undefined ? {} : { look: o.look }) };
}

/** A port as the other side has it. */
export type FlippedPort<P> =
  P extends Port<infer D, infer S>
    ? Port<Back<D>, S>
    : P extends StreamPort<infer D, infer S>
      ? StreamPort<Back<D>, S>
      : P extends Interface<infer M>
        ? Interface<Flipped<M>>
        : never;
/** The members of an interface as the other side has them. */
export type Flipped<P> = { readonly [K in keyof P]: FlippedPort<P[K]> };

/** The other side of an interface, a stream or a plain port: what one drives, the other reads. */
export function flip<const P extends AnyPort>(p: P): FlippedPort<P>;
export function flip(p: AnyPort): AnyPort {
  if (p.port === "interface")
    return { ...p, members: Object.fromEntries(Object.entries(p.members).map(([name, m]) => [name, flip(m)])) };
  const dir = p.dir === "in" ? "out" : "in";
  if (p.port === "stream") return { ...p, dir };
  // Unread on purpose on one side says nothing of the other.
  const { unused: _unused, ...rest } = p;
  return { ...rest, dir };
}

/** The same ports with `prefix` before their names. */
export function prefixPorts<const N extends string, const P extends Ports>(
  prefix: N,
  ports: P,
): { readonly [K in keyof P & string as `${N}${K}`]: P[K] } {
  const named = Object.entries(ports).map(([name, port]) => [`${prefix}${name}`, port]);
  return Object.fromEntries(named) as { readonly [K in keyof P & string as `${N}${K}`]: P[K] };
}

/** The members of an interface as ports of their own: `<prefix>Aw` and so on; in Verilog they are named alike. */
export type MemberPorts<N extends string, M> = { readonly [K in keyof M & string as `${N}${Capitalize<K>}`]: M[K] };
/** The members of an interface as ports of their own. @param prefix what their names begin with */
export function memberPorts<const N extends string, const M extends Ports>(
  prefix: N,
  of: Interface<M>,
): MemberPorts<N, M> {
  const named = Object.entries(of.members).map(([name, port]) => [memberName(prefix, name), port]);
  return Object.fromEntries(named) as MemberPorts<N, M>;
}
/** The name of a member's port: the prefix, then the member's with a capital. */
export const memberName = (prefix: string, member: string): string =>
  `${prefix}${member.charAt(0).toUpperCase()}${member.slice(1)}`;

/** Ports `name0`, `name1` and so on. */
export type PortArray<N extends string, P> = { readonly [_ in `${N}${number}`]: P };
type Together<P extends readonly unknown[]> = P extends readonly [infer First, ...infer Rest]
  ? First & Together<Rest>
  : unknown;

/** `count` ports of one kind: `name0`, `name1` and so on. `mergePorts` puts them beside others. */
export function portArray<const N extends string, const P extends AnyPort>(
  name: N,
  count: number,
  port: P,
): PortArray<N, P> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, port])) as PortArray<N, P>;
}
/** Several groups of ports as one. In an object literal the compiler would forget those of a `portArray`. */
export function mergePorts<const P extends readonly Ports[]>(...groups: P): Together<P> {
  return Object.assign({}, ...groups) as Together<P>;
}
/** `unknown` (accepts) when there are such ports. */
type HasArray<O, N extends string> = `${N}${number}` extends keyof O
  ? unknown
  : { readonly portError: `there are no ports ${N}0, ${N}1 and so on` };
type OneOf<O, N extends string> = O[`${N}${number}` & keyof O];

/** Number `index` of a `portArray`, inside the module or at an instance of it. */
export function portOf<O extends object, const N extends string>(
  of: O,
  name: N & HasArray<O, N>,
  index: number,
): OneOf<O, N> {
  const port = `${name}${index}`;
  if (!(port in of)) throw new RangeError(`portOf: there is no port ${port}`);
  return of[port as `${N}${number}` & keyof O];
}
/** The first `count` of a `portArray`, inside the module or at an instance of it. */
export function arrayOf<O extends object, const N extends string>(
  of: O,
  name: N & HasArray<O, N>,
  count: number,
): readonly OneOf<O, N>[] {
  return Array.from({ length: count }, (_, i) => portOf<O, N>(of, name, i));
}
