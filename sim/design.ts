import {
  type Def,
  emit,
  type EmittedDesign,
  type EmittedPort,
  type EmittedStream,
  leavesOf,
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
  for (const [name, p] of Object.entries(ports)) {
    if (p.port === "plain") {
      for (const l of leavesOf(p.shape)) add([name, ...l.path], p.dir, l.width, "data", l.signed);
      continue;
    }
    const back = p.dir === "in" ? "out" : "in";
    const valid = add([name, "valid"], p.dir, 1, "data");
    const ready = add([name, "ready"], back, 1, "data");
    const payload = leavesOf(p.shape).map(l => add([name, "payload", ...l.path], p.dir, l.width, "data", l.signed));
    streams.push({ name: snakeCase(name), dir: p.dir, valid, ready, payload });
  }
  return { ports, emitted: { top, files: [{ name: `${top}.v`, text }], ports: flat, streams, assertions: [] } };
}
