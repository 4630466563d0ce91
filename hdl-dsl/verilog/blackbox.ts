/** Vendor IP: its ports for synthesis, which has the contents from the vendor; a stand-in for simulation and lint. */
import type { Circuit } from "../ir/circuit.ts";
import type { EmittedBox } from "../types/emitted.ts";
import type { VExpr, VItem, VPort } from "./ast.ts";
import { headerOf, portsOf } from "./module.ts";
import type { ModuleNames } from "./module-context.ts";
import { concat, name, number, unary } from "./nodes.ts";
import { printModule } from "./print.ts";

/** Names of the mark for Yosys, and for vendors' tools. */
const MARK = "(* blackbox, black_box *)";

/** The two files of a black box. */
export function lowerBlackBox(c: Circuit, names: ModuleNames): EmittedBox {
  const file = `${c.name}.v`,
    ports = portsOf(c, names);
  return {
    module: c.name,
    declaration: { name: file, text: declaration(c, ports) },
    standIn: { name: file, text: standIn(c, ports) },
    modelled: c.blackBox?.simulation !== undefined || ports.every(p => p.dir === "input" || follows(c, p)),
  };
}

const follows = (c: Circuit, p: VPort): boolean => c.blackBox?.follows.includes(p.name) === true;

const says = (c: Circuit, what: string): string[] => [...headerOf(c), `Black box: ${what}`];

function declaration(c: Circuit, ports: readonly VPort[]): string {
  const header = says(c, "its ports, for synthesis. The vendor's module takes its place.");
  return printModule({ header, name: c.name, parameters: c.blackBox?.parameters ?? [], ports, items: [] }).replace(
    /^module /m,
    `${MARK}\nmodule `,
  );
}

/**
 * A whole `module ... endmodule` is taken as it is, anything else is the body between the generated ports and
 * `endmodule`. Without it the outputs are 0, and those that follow the clock are the clock.
 */
function standIn(c: Circuit, ports: readonly VPort[]): string {
  const text = c.blackBox?.simulation;
  const header = says(c, "this file stands in for the vendor's module in lint and simulation.");
  if (text !== undefined && /^\s*module\b/m.test(text))
    return `${header.map(l => `// ${l}\n`).join("")}${text.trimEnd()}\n`;
  const parameters = c.blackBox?.parameters ?? [];
  if (text !== undefined)
    return printModule({ header, name: c.name, parameters, ports, items: [] }).replace(
      /endmodule\n$/,
      `${text.trimEnd()}\nendmodule\n`,
    );
  const clock = c.domains[0]?.clock ?? "";
  const items: VItem[] = ports
    .filter(p => p.dir === "output")
    .map(p => ({
      kind: "assign",
      target: name(p.name, p.width),
      value: follows(c, p) ? name(clock, 1) : number(0n, p.width),
      position: undefined,
    }));
  const isRead = (p: VPort): boolean => p.name === clock && ports.some(o => follows(c, o));
  const unread: VExpr[] = [
    ...ports.filter(p => p.dir === "input" && !isRead(p)).map(p => name(p.name, p.width)),
    ...parameters.map(([k]) => unary("|", name(k, 32))),
  ];
  if (unread.length > 0) {
    items.push({
      kind: "declare",
      what: "wire",
      name: "_unused_ok",
      width: 1,
      signed: false,
      depth: undefined,
      value: unary("&", concat([number(0n, 1), ...unread, number(0n, 1)])),
      attributes: [],
      position: undefined,
    });
  }
  return printModule({ header, name: c.name, parameters, ports, items });
}
