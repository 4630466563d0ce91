import type { Shape } from "./shape.ts";

/** A plain port of a module: `dir` as seen from inside. */
export interface Port<D extends "in" | "out" = "in" | "out", S extends Shape = Shape> {
  readonly port: "plain";
  readonly dir: D;
  readonly shape: S;
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
  /** Clock domain, by its name in the body (`clockDomain`); the default one when left out. */
  readonly domain?: string;
}
export interface Ports {
  readonly [name: string]: Port | StreamPort;
}

export interface PortOptions {
  /** The port is unused on purpose: a reserved pin. */
  readonly unused?: boolean;
  /** Clock domain, by its name in the body (`clockDomain`). */
  readonly domain?: string;
}

/** An input of the given shape. */
export function input<const S extends Shape>(shape: S, o: PortOptions = {}): Port<"in", S> {
  return { port: "plain", dir: "in", shape, ...o };
}
/** An output of the given shape. */
export function output<const S extends Shape>(shape: S, o: Pick<PortOptions, "domain"> = {}): Port<"out", S> {
  return { port: "plain", dir: "out", shape, ...o };
}
/** A stream that the module consumes: valid and payload come in, ready goes out. */
export function sink<const S extends Shape>(shape: S, o: Pick<PortOptions, "domain"> = {}): StreamPort<"in", S> {
  return { port: "stream", dir: "in", shape, ...o };
}
/** A stream that the module produces: valid and payload go out, ready comes in. */
export function source<const S extends Shape>(shape: S, o: Pick<PortOptions, "domain"> = {}): StreamPort<"out", S> {
  return { port: "stream", dir: "out", shape, ...o };
}
