/** Whole connections: a producer's stream to a consumer's, one end of an interface to another. */
import { report } from "../build/context.ts";
import { type EndInfo, endInfo } from "../build/ends.ts";
import { assignView } from "../build/view.ts";
import type { AnyPort, Interface, Port, Ports, StreamPort } from "../types/ports.ts";
import { describeShape, fieldsOf, sameShape, type Shape, type StructShape } from "../types/shape.ts";
import type { AnyEnd, Joins, Meets, StreamIn, StreamOut } from "../types/value.ts";

/** Joins a producer's stream to a consumer's: same shape, as far as the compiler knows the widths. */
export function connect<S extends Shape>(from: StreamIn<S>, to: StreamOut<NoInfer<S>>): void;
export function connect<S extends Shape, T extends Shape>(
  from: StreamIn<S>,
  to: StreamOut<T> & { readonly payload: Joins<S, T> },
): void;
/**
 * Joins two ends of an interface, in either order: each member goes from the end that reads it here to the one that
 * drives it. Both have the same members, in opposite directions.
 */
export function connect<M extends Ports, N extends Ports>(a: AnyEnd<M>, b: AnyEnd<N> & Meets<M, N>): void;
export function connect(a: unknown, b: unknown): void {
  const one = endInfo(a),
    other = endInfo(b);
  if (one === undefined && other === undefined) connectStreams(a as StreamIn<Shape>, b as StreamOut<Shape>);
  else if (one === undefined || other === undefined)
    fault(
      `\`${(one ?? other)?.name ?? ""}\` is an interface, and what it is joined with is none`,
      "Join it with an end of an interface, or connect its members one by one",
    );
  else connectEnds({ ...one, members: a as Members }, { ...other, members: b as Members });
}

/** `connect` where the shape is a parameter: the widths are checked at elaboration. */
export function connectAny(from: StreamIn<Shape>, to: StreamOut<Shape>): void {
  connectStreams(from, to);
}

function connectStreams(from: StreamIn<Shape>, to: StreamOut<Shape>): void {
  to.valid.set(from.valid);
  assignView(to.payload, from.payload, "payload");
  from.ready.set(to.ready);
}

type Members = Readonly<Record<string, unknown>>;
interface HeldEnd extends EndInfo {
  readonly members: Members;
}
const fault = (message: string, fix: string): void => report("HDL155", `connect: ${message}`, fix);

/** The directions of all members, those of interfaces within included. */
const directions = (i: Interface): readonly ("in" | "out")[] =>
  Object.values(i.members).flatMap(m => (m.port === "interface" ? directions(m) : [m.dir]));

function connectEnds(a: HeldEnd, b: HeldEnd): void {
  const here = Object.keys(a.side.members),
    there = Object.keys(b.side.members);
  for (const [names, lacks, has] of [
    [here.filter(n => !there.includes(n)), b, a],
    [there.filter(n => !here.includes(n)), a, b],
  ] as const)
    for (const name of names)
      fault(
        `\`${lacks.name}\` has no ${name}, which \`${has.name}\` has`,
        "Declare both by one interface, one of them flipped",
      );
  const both = here.filter(n => there.includes(n));
  const [left, right] = [directions(a.side), directions(b.side)];
  if (left.length > 1 && left.length === right.length && left.every((d, i) => d === right[i]) && both.length > 0) {
    fault(`\`${a.name}\` and \`${b.name}\` are the same side of an interface`, "Declare one of them with flip(...)");
    return;
  }
  for (const name of both)
    connectMember(
      { at: `${a.name}.${name}`, port: a.side.members[name] as AnyPort, held: a.members[name] },
      { at: `${b.name}.${name}`, port: b.side.members[name] as AnyPort, held: b.members[name] },
    );
}

interface HeldMember {
  readonly at: string;
  readonly port: AnyPort;
  readonly held: unknown;
}
const kinds = { plain: "a plain port", stream: "a stream", interface: "an interface" } as const;

function connectMember(a: HeldMember, b: HeldMember): void {
  const p = a.port,
    q = b.port;
  if (p.port !== q.port) {
    fault(
      `\`${a.at}\` is ${kinds[p.port]}, \`${b.at}\` is ${kinds[q.port]}`,
      "Declare both by one interface, one of them flipped",
    );
    return;
  }
  if (p.port === "interface" || q.port === "interface") {
    connect(a.held as AnyEnd<Ports>, b.held as AnyEnd<Ports>);
    return;
  }
  if (p.dir === q.dir) {
    fault(
      p.dir === "out"
        ? `\`${a.at}\` and \`${b.at}\` are both driven here, and neither gives a value`
        : `\`${a.at}\` and \`${b.at}\` both give a value here, and neither takes one`,
      "Declare the member the other way round on one side: flip(...) turns whole interfaces",
    );
    return;
  }
  if (!fits(p.shape, q.shape)) {
    fault(
      `\`${a.at}\` is ${describeShape(p.shape)}, \`${b.at}\` is ${describeShape(q.shape)}`,
      "Give both one shape, or connect this member through map or an adapter of widths",
    );
    return;
  }
  joinLeaf(p.dir === "in" ? a : b, p.dir === "in" ? b : a, p);
}

function joinLeaf(from: HeldMember, to: HeldMember, p: Port | StreamPort): void {
  if (p.port === "stream") connectStreams(from.held as StreamIn<Shape>, to.held as StreamOut<Shape>);
  else assignView(to.held, from.held, to.at);
}

/** Same fields by name, whatever their order, and same leaves. */
function fits(a: Shape, b: Shape): boolean {
  if (a.kind !== "struct" || b.kind !== "struct") return sameShape(a, b);
  const here = fieldsOf(a as StructShape),
    there = new Map(fieldsOf(b as StructShape));
  return (
    here.length === there.size &&
    here.every(([name, s]) => {
      const t = there.get(name);
      return t !== undefined && fits(s, t);
    })
  );
}
