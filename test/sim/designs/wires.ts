import {
  bit,
  leavesOf,
  type Ports,
  sink,
  snakeCase,
  source,
  type StreamPort,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";
import { fromVerilog } from "../../../sim/index.ts";

/**
 * Verilog whose streams are wires from one port to another: the two sides of a bus model meet with no
 * cycle between them.
 */
function wired<const P extends Ports>(
  top: string,
  ports: P,
  pairs: readonly (readonly [keyof P & string, keyof P & string])[],
  extra = "",
) {
  const declarations: string[] = [],
    assigns: string[] = [];
  for (const [port, p] of Object.entries(ports)) {
    const name = snakeCase(port);
    if (p.port !== "stream") throw new Error("streams only");
    const back = p.dir === "in" ? "output" : "input",
      forth = p.dir === "in" ? "input" : "output";
    declarations.push(`${forth} wire ${name}_valid`, `${back} wire ${name}_ready`);
    for (const l of leavesOf(p.shape)) {
      declarations.push(
        `${forth} wire ${l.width > 1 ? `[${l.width - 1}:0] ` : ""}${[name, "payload", ...l.path].join("_")}`,
      );
    }
  }
  for (const [out, into] of pairs) {
    const from = snakeCase(out),
      to = snakeCase(into);
    assigns.push(`assign ${to}_valid = ${from}_valid;`, `assign ${from}_ready = ${to}_ready;`);
    for (const l of leavesOf((ports[out] as StreamPort).shape)) {
      const field = ["payload", ...l.path].join("_");
      assigns.push(`assign ${to}_${field} = ${from}_${field};`);
    }
  }
  const text = `module ${top} (input wire clk, input wire rst,\n  ${declarations.join(",\n  ")});\n  ${assigns.join("\n  ")}\n  ${extra}\nendmodule\n`;
  return fromVerilog(top, ports, text);
}

/** AXI4 master port `mem` wired to streams that the bench drives. */
export function axiWires<const W extends number>(width: W) {
  const address = struct({ addr: uint(48), id: uint(4), len: uint(8), size: uint(3), burst: uint(2) });
  const w = struct({ data: uint(width), strb: uint(width / 8), last: bit });
  const b = struct({ id: uint(4), resp: uint(2) });
  const r = struct({ data: uint(width), id: uint(4), resp: uint(2), last: bit });
  return wired(
    `AxiWires_${width}`,
    {
      sAw: sink(address),
      sW: sink(w),
      sB: source(b),
      sAr: sink(address),
      sR: source(r),
      memAw: source(address),
      memW: source(w),
      memB: sink(b),
      memAr: source(address),
      memR: sink(r),
    },
    [
      ["sAw", "memAw"],
      ["sW", "memW"],
      ["memB", "sB"],
      ["sAr", "memAr"],
      ["memR", "sR"],
    ],
  );
}

/** AXI-Stream wired through. */
export function axisWires<const W extends number>(width: W) {
  const beat = struct({ data: uint(width), keep: uint(width / 8), last: bit, user: uint(3) });
  return wired(`AxisWires_${width}`, { rx: sink(beat), tx: source(beat) }, [["rx", "tx"]]);
}
