/** Ports as the flat vectors that Verilog has: names, widths, directions. Plain data. */
import { snakeCase } from "./snake-case.ts";
import type { AnyPort, Port, Ports, StreamPort } from "../types/ports.ts";
import { bit, type Enumeration, leavesOf, type Shape } from "../types/shape.ts";

export interface LeafPort {
  readonly name: string;
  /** Port name, members of interfaces, stream part, field path. */
  readonly path: readonly string[];
  readonly width: number;
  readonly signed: boolean;
  readonly dir: "in" | "out";
  readonly offset: number;
  readonly enumeration?: Enumeration | undefined;
  readonly role?: "valid" | "ready" | "payload";
}

/** The flattened vectors of a port, in their order. `verbatim`: of a black box, whose names stay as given. */
export function leavesOfPort(name: readonly string[], p: AnyPort, verbatim = false): LeafPort[] {
  if (p.port === "interface")
    return Object.entries(p.members).flatMap(([member, m]) => leavesOfPort([...name, member], m, verbatim));
  const joined = (path: readonly string[]): string => (verbatim ? path : path.map(snakeCase)).join("_");
  const flat = (
    shape: Shape,
    path: readonly string[],
    dir: "in" | "out",
    role?: "valid" | "ready" | "payload",
  ): LeafPort[] =>
    leavesOf(shape).map(l => ({
      name: joined([...path, ...l.path]),
      path: [...path, ...l.path],
      width: l.width,
      signed: l.signed,
      dir,
      offset: l.offset,
      enumeration: l.enumeration,
      ...(role === undefined ? {} : { role }),
    }));
  if (p.port === "plain") return flat(p.shape, name, p.dir);
  const back = p.dir === "in" ? "out" : "in";
  return [
    ...flat(bit, [...name, "valid"], p.dir, "valid"),
    ...flat(bit, [...name, "ready"], back, "ready"),
    ...flat(p.shape, [...name, "payload"], p.dir, "payload"),
  ];
}

/** A port that is no interface, and its name with those of the interfaces around it. */
export interface PlacedPort {
  readonly path: readonly string[];
  readonly port: Port | StreamPort;
}

/** All ports and, in place of each interface, its members. */
export function placedPorts(ports: Ports, within: readonly string[] = []): PlacedPort[] {
  return Object.entries(ports).flatMap(([name, port]): PlacedPort[] =>
    port.port === "interface" ? placedPorts(port.members, [...within, name]) : [{ path: [...within, name], port }],
  );
}

/** The port that a leaf's path leads into. */
export function portAt(ports: Ports, path: readonly string[]): PlacedPort | undefined {
  let at: Ports = ports;
  for (const [i, name] of path.entries()) {
    const port = at[name];
    if (port === undefined) return undefined;
    if (port.port !== "interface") return { path: path.slice(0, i + 1), port };
    at = port.members;
  }
  return undefined;
}
