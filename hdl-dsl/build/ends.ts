/** Ends of interfaces: objects of their members that know what they drive and what they are called. */
import { type Interface, memberName, type Ports } from "../types/ports.ts";
import type { End, Inside } from "../types/value.ts";
import { refusePrimitive } from "./value.ts";

export interface EndInfo {
  /** Members as seen from here: what is `out` is driven by who holds the end. */
  readonly side: Interface;
  /** In messages: `s`, or `queue.s` at an instance. */
  readonly name: string;
}
const ends = new WeakMap<object, EndInfo>();

/** The members as an end of the interface. */
export function asEnd<M extends Ports>(members: Record<string, unknown>, side: Interface<M>, name: string): End<M> {
  Object.defineProperty(members, Symbol.toPrimitive, {
    value: (hint: string): never => refusePrimitive("an interface", hint),
  });
  ends.set(members, { side, name });
  return members as End<M>;
}

/**
 * Ports that stand side by side (`mAw`, `mW` and so on: `memberPorts`, `axi4Master`) as an end of the interface, inside
 * the module or at an instance of it. The interface is as this side has it: at an instance the other way round.
 * @throws RangeError when there is no such port
 */
export function endOf<M extends Ports, const N extends string>(
  i: Interface<M>,
  of: { readonly [K in keyof M & string as `${N}${Capitalize<K>}`]: Inside<M>[K] },
  prefix: N,
): End<M> {
  const ports: Readonly<Record<string, unknown>> = of;
  const members = Object.keys(i.members).map(member => {
    const name = memberName(prefix, member);
    if (!(name in ports)) throw new RangeError(`endOf: there is no port ${name}`);
    return [member, ports[name]] as const;
  });
  return asEnd(Object.fromEntries(members), i, prefix);
}

/** What is known of an end; undefined for anything else. */
export const endInfo = (v: unknown): EndInfo | undefined =>
  typeof v === "object" && v !== null ? ends.get(v) : undefined;
