/** Vendor IP: a file with the ports, for lint and simulation only; synthesis gets the vendor's. */
import type { Circuit } from "../ir/circuit.ts";
import type { VExpr, VItem } from "./ast.ts";
import { headerOf, portsOf } from "./module.ts";
import type { ModuleNames } from "./module-context.ts";
import { concat, name, number, unary } from "./nodes.ts";
import { printModule } from "./print.ts";

/**
 * The stand-in's text: a whole `module ... endmodule` is taken as it is, anything else is the body between the
 * generated ports and `endmodule`. Without it the outputs are 0.
 */
export function lowerBlackBox(c: Circuit, names: ModuleNames): string {
  const text = c.blackBox?.simulation;
  const header = [...headerOf(c), "Black box: this file stands in for the vendor's module in lint and simulation."];
  if (text !== undefined && /^\s*module\b/m.test(text))
    return `${header.map(l => `// ${l}\n`).join("")}${text.trimEnd()}\n`;
  const ports = portsOf(c, names),
    parameters = c.blackBox?.parameters ?? [];
  if (text !== undefined)
    return printModule({ header, name: c.name, parameters, ports, items: [] }).replace(
      /endmodule\n$/,
      `${text.trimEnd()}\nendmodule\n`,
    );
  const items: VItem[] = ports
    .filter(p => p.dir === "output")
    .map(p => ({ kind: "assign", target: name(p.name, p.width), value: number(0n, p.width), position: undefined }));
  const unread: VExpr[] = [
    ...ports.filter(p => p.dir === "input").map(p => name(p.name, p.width)),
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
