import type { EmittedPort, NamedModule, Ports } from "../../hdl-dsl/index.ts";
import { type Design, designOf, type Dut } from "../design.ts";
import { SimulationError } from "../errors.ts";

/** Which registers count as control. */
export interface ObserveOptions {
  /** Instances to be observed, by dotted path, with all below them; default all. */
  readonly only?: readonly string[];
  /** Wider registers that count as control too, by dotted path (`unit.register`). */
  readonly also?: readonly string[];
}
/**
 * Widest register that counts as control by itself, bits: flags, states, kinds of operation, short counters. Wider
 * registers are mostly numbers and data.
 */
const controlBits = 3;

/** The control registers of one instance, as they lie in its port from bit 0 up. */
export interface ObservedInstance {
  /** Dotted path from the top module's instance; empty for the top module itself. */
  readonly path: string;
  /** Verilog name of the output that shows them. */
  readonly port: string;
  /** Name of each bit. */
  readonly bits: readonly string[];
}

/** A design whose control registers can be seen from outside. */
export interface ObservedDesign<P extends Ports = Ports> extends Design<P> {
  readonly observed: readonly ObservedInstance[];
}

/**
 * The design inside a wrapper module that brings the control registers of every instance out. There is one output for
 * each instance with two control bits or more. The design's text is not touched; its ports keep their names. Elements
 * of register files are left out: they are data by number, and what is done with them shows in the registers around.
 * @throws SimulationError for a design without names (its Verilog was not made by the emitter)
 */
export function observeControl<P extends Ports>(
  dut: Dut<P>,
  { only, also = [] }: ObserveOptions = {},
): ObservedDesign<P> {
  const design = designOf(dut),
    { top, names, ports, files } = design.emitted;
  if (names === undefined)
    throw new SimulationError(
      `${top} has no table of names, so its registers cannot be found; give a design of the language`,
    );
  const observed: ObservedInstance[] = [];
  const visit = (module: NamedModule | undefined, path: readonly string[]): void => {
    if (module === undefined) return;
    const own = path.join("."),
      wanted = only === undefined || only.some(o => own === o || own.startsWith(`${o}.`));
    const registers = !wanted
      ? []
      : module.signals.filter(
          s =>
            s.kind === "reg" &&
            (s.width <= controlBits || also.includes(`${own}.${s.name}`)) &&
            !s.path.slice(1).some(p => /^\d+$/.test(p)),
        );
    const bits = registers.flatMap(s =>
      s.width === 1 ? [s.name] : Array.from({ length: s.width }, (_, i) => `${s.name}[${i}]`),
    );
    if (bits.length > 1) observed.push({ path: own, port: `observed_${observed.length}`, bits });
    for (const i of module.instances) visit(names.modules[i.module], [...path, i.name]);
  };
  visit(names.modules[names.top], []);
  const shown = observed.map((o): EmittedPort => ({
    name: o.port,
    dir: "out",
    width: o.bits.length,
    signed: false,
    path: [o.port],
    role: "data",
    domain: "default",
  }));
  const name = `${top}_observed`;
  const declare = (p: EmittedPort): string => `  ${p.dir}put ${p.width === 1 ? "" : `[${p.width - 1}:0] `}${p.name}`;
  const text = [
    `module ${name} (`,
    [...ports, ...shown].map(declare).join(",\n"),
    ");",
    `  ${top} dut (`,
    ports.map(p => `    .${p.name}(${p.name})`).join(",\n"),
    "  );",
    ...observed.map(
      o =>
        `  assign ${o.port} = {${[...o.bits]
          .reverse()
          .map(b => ["dut", ...(o.path === "" ? [] : [o.path]), b].join("."))
          .join(", ")}};`,
    ),
    "endmodule",
    "",
  ].join("\n");
  const { names: _names, ...emitted } = design.emitted;
  return {
    ports: design.ports,
    observed,
    emitted: { ...emitted, top: name, files: [...files, { name: `${name}.v`, text }], ports: [...ports, ...shown] },
  };
}
