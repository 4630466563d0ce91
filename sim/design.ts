import {
  type Def,
  emit,
  type EmittedDesign,
  type EmittedPort,
  type EmittedStream,
  leavesOfPort,
  placedPorts,
  type Ports,
  snakeCase,
} from "../hdl-dsl/index.ts";

/** Input of the harness: the ports as declared (they type the bench) and the Verilog. */
export interface Design<P extends Ports = Ports> {
  readonly ports: P;
  readonly emitted: EmittedDesign;
  /**
   * Its model runs for few cycles (a planted fault is found soon): it is compiled without optimisation, in a fraction
   * of the time.
   */
  readonly brief?: boolean;
  /** A failure of it is what its bench waits for: it is not run again for a wave, unless the bench asks for one. */
  readonly failureWanted?: boolean;
}

/** A definition in the language, or a design whose Verilog is at hand already. */
export type Dut<P extends Ports = Ports> = Def<P> | Design<P>;

const emitted = new WeakMap<Def, EmittedDesign>();

/** Emits a definition, once. @throws HdlError when it does not pass the checks of the language. */
export function designOf<P extends Ports>(dut: Dut<P>): Design<P> {
  if ("emitted" in dut) return dut;
  let text = emitted.get(dut);
  if (!text) emitted.set(dut, (text = emit(dut)));
  return { ports: dut.ports, emitted: text };
}

/**
 * A design whose Verilog was written by hand or comes from a vendor. Ports are flattened as the language does
 * (snake_case, `name_field`, streams to `name_valid`, `name_ready`, `name_payload_field`). `clk` and `rst` are added.
 * @param options.clock it has `clk`; default yes
 * @param options.reset it has `rst`; default yes
 */
export function fromVerilog<const P extends Ports>(
  top: string,
  ports: P,
  text: string,
  options: { readonly clock?: boolean; readonly reset?: boolean } = {},
): Design<P> {
  const flat: EmittedPort[] = [];
  const streams: EmittedStream[] = [];
  const add = (path: string[], dir: "in" | "out", width: number, role: EmittedPort["role"], signed = false): string => {
    const name = path.map(snakeCase).join("_");
    flat.push({ name, dir, width, signed, path, role, domain: "default" });
    return name;
  };
  if (options.clock !== false) add(["clk"], "in", 1, "clock");
  if (options.clock !== false && options.reset !== false) add(["rst"], "in", 1, "reset");
  for (const placed of placedPorts(ports)) {
    const { path, port } = placed,
      leaves = leavesOfPort(placed);
    for (const l of leaves)
      flat.push({
        name: l.name,
        dir: l.dir,
        width: l.width,
        signed: l.signed,
        path: l.path,
        role: "data",
        domain: "default",
      });
    if (port.port === "plain") continue;
    const named = (role: "valid" | "ready" | "payload"): string[] =>
      leaves.filter(l => l.role === role).map(l => l.name);
    streams.push({
      name: path.map(snakeCase).join("_"),
      dir: port.dir,
      valid: named("valid").join(),
      ready: named("ready").join(),
      payload: named("payload"),
    });
  }
  return { ports, emitted: { top, files: [{ name: `${top}.v`, text }], ports: flat, streams, assertions: [] } };
}
