/** An interface of wires inside a module. */
import { chooseName, wire } from "../build/declare.ts";
import { asEnd } from "../build/ends.ts";
import { userPosition } from "../build/position.ts";
import { type AnyPort, flip, type Interface, type Ports } from "../types/ports.ts";
import type { Ends } from "../types/value.ts";
import { stream } from "./stream.ts";

/**
 * Wires for an interface, with both of its ends: `near` drives what the interface declares as out, `far` the rest. For
 * pieces of a module that are joined by more than a stream. Named from the source, or explicitly.
 * @param o.name what its wires' names begin with; default: that of the constant
 */
export function link<M extends Ports>(i: Interface<M>, o: { readonly name?: string } = {}): Ends<M> {
  const name = chooseName(o.name, "link", userPosition());
  return ends(i, name, name) as Ends<M>;
}

function ends(i: Interface, name: string, shown: string): Ends<Ports> {
  const made = Object.entries(i.members).map(
    ([member, p]) => [member, wiresOf(p, `${name}_${member}`, `${shown}.${member}`)] as const,
  );
  const of = (side: "near" | "far"): Record<string, unknown> =>
    Object.fromEntries(made.map(([member, both]) => [member, both[side]]));
  return { near: asEnd(of("near"), i, shown), far: asEnd(of("far"), flip(i), shown) };
}

function wiresOf(p: AnyPort, name: string, shown: string): { readonly near: unknown; readonly far: unknown } {
  if (p.port === "interface") return ends(p, name, shown);
  const both: unknown = p.port === "stream" ? stream(p.shape, { name }) : wire(p.shape, { name });
  return { near: both, far: both };
}
