/** Ports as the flat vectors that Verilog has: names, widths, directions. Plain data. */
import { snakeCase } from "./snake-case.ts";
import type { AnyPort, Port, PortLook, Ports, StreamPort } from "../types/ports.ts";
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
  /** Of the port in Verilog. */
  readonly attributes?: Readonly<Record<string, string | number>> | undefined;
}

/** How a port below looks, from the outermost interface inwards; `depth`: names of its path. */
interface Look {
  readonly depth: number;
  readonly look: PortLook;
}
/** A port that is no interface, and its name with those of the interfaces around it. */
export interface PlacedPort {
  readonly path: readonly string[];
  readonly port: Port | StreamPort;
  readonly looks: readonly Look[];
}

/** All ports and, in place of each interface, its members. */
export const placedPorts = (ports: Ports): PlacedPort[] =>
  Object.entries(ports).flatMap(([name, port]) => placed([name], port, []));

function placed(path: readonly string[], port: AnyPort, around: readonly Look[]): PlacedPort[] {
  const { look } = port,
    looks = look === undefined ? around : [...around, { depth: path.length, look }];
  const all =
    port.port === "interface"
      ? Object.entries(port.members).flatMap(([name, m]) => placed([...path, name], m, looks))
      : [{ path, port, looks }];
  if (typeof look?.names === "object") {
    const parts = all.flatMap(p => partsOf(p).map(l => l.path.slice(path.length).join("."))),
      unknown = Object.keys(look.names).find(n => !parts.includes(n));
    if (unknown !== undefined)
      throw new RangeError(
        `the names of port ${path.join(".")} have ${unknown}, which is none of its parts: ${parts.join(", ")}`,
      );
  }
  return all;
}

/** The vectors of a port by path, not yet named. */
function partsOf({ path, port: p }: PlacedPort): Omit<LeafPort, "name" | "attributes">[] {
  const flat = (
    shape: Shape,
    within: readonly string[],
    dir: "in" | "out",
    role?: "valid" | "ready" | "payload",
  ): Omit<LeafPort, "name" | "attributes">[] =>
    leavesOf(shape).map(l => ({
      path: [...within, ...l.path],
      width: l.width,
      signed: l.signed,
      dir,
      offset: l.offset,
      enumeration: l.enumeration,
      ...(role === undefined ? {} : { role }),
    }));
  if (p.port === "plain") return flat(p.shape, path, p.dir);
  const back = p.dir === "in" ? "out" : "in";
  return [
    ...flat(bit, [...path, "valid"], p.dir, "valid"),
    ...flat(bit, [...path, "ready"], back, "ready"),
    ...flat(p.shape, [...path, "payload"], p.dir, "payload"),
  ];
}

/** The flattened vectors of a port, in their order. `verbatim`: of a black box, whose names stay as given. */
export function leavesOfPort(p: PlacedPort, verbatim = false): LeafPort[] {
  const text = verbatim ? (s: string): string => s : snakeCase;
  return partsOf(p).map(l => ({ name: nameOf(l.path, p, text), attributes: attributesOf(l.path, p, text), ...l }));
}

/** The name of what is at `path`: of a vector of the port, or of an interface around it. */
function nameOf(path: readonly string[], p: PlacedPort, text: (s: string) => string): string {
  let prefix: string | undefined,
    from = 0,
    names: PortLook["names"];
  const named = (to: readonly string[]): string =>
    [
      ...(prefix === undefined ? [] : [prefix]),
      ...restOf(to.slice(from), p.port, p.path.length - from, names, text),
    ].join("_");
  for (const { depth, look } of p.looks) {
    if (depth > path.length) break;
    prefix = look.name ?? named(path.slice(0, depth));
    from = depth;
    names = look.names ?? names;
  }
  return named(path);
}

/** The five channels of AXI, whose fields are written without a `_`: `awaddr`. */
const channels: ReadonlySet<string> = new Set(["aw", "w", "b", "ar", "r"]);

/** What follows a prefix; the first `members` names of the path lead to the port, the others are its parts. */
function restOf(
  path: readonly string[],
  port: Port | StreamPort,
  members: number,
  names: PortLook["names"],
  text: (s: string) => string,
): readonly string[] {
  const known = typeof names === "object" ? names[path.join(".")] : undefined;
  if (known !== undefined) return [known];
  if (names !== "axi" || port.port !== "stream" || path.length <= members) return path.map(text);
  const [part = "", ...fields] = path.slice(members),
    field = part !== "payload" ? part : fields.length === 0 ? "data" : fields.map(text).join("_");
  const around = path.slice(0, members).map(text),
    channel = around.at(-1) ?? "";
  return channels.has(channel) ? [...around.slice(0, -1), `${channel}${field}`] : [...around, `t${field}`];
}

/** The attributes of all looks around a vector, the inner ones stronger; with those of its bus, for Vivado. */
function attributesOf(
  path: readonly string[],
  p: PlacedPort,
  text: (s: string) => string,
): Readonly<Record<string, string | number>> | undefined {
  const all: Record<string, string | number> = {};
  for (const { depth, look } of p.looks) {
    if (look.busType !== undefined) {
      const bus = nameOf(path.slice(0, depth), p, text);
      all["X_INTERFACE_INFO"] = `${look.busType} ${bus} ${nameOf(path, p, text)
        .slice(bus.length + 1)
        .toUpperCase()}`;
    }
    Object.assign(all, look.attributes);
  }
  return Object.keys(all).length === 0 ? undefined : all;
}

/** The port that a leaf's path leads into. */
export function portAt(ports: Ports, path: readonly string[]): Pick<PlacedPort, "path" | "port"> | undefined {
  let at: Ports = ports;
  for (const [i, name] of path.entries()) {
    const port = at[name];
    if (port === undefined) return undefined;
    if (port.port !== "interface") return { path: path.slice(0, i + 1), port };
    at = port.members;
  }
  return undefined;
}
