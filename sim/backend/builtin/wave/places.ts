/** Where the values of a traced circuit lie while it runs. */
import type { EmittedPort } from "../../../../hdl-dsl/index.ts";
import type { PortSlot } from "../../backend.ts";
import type { BlockLayout } from "../../layout.ts";
import type { Netlist, TracedScope } from "../circuit/netlist.ts";
import type { Node } from "../circuit/node.ts";
import type { MemoryMap } from "../memory-map.ts";

/** Nodes that have no address of their own get one as outputs that no bench sees. */
export interface TracedNetlist {
  readonly net: Netlist;
  readonly layout: BlockLayout;
  /** Number among the outputs, by node. */
  readonly outputs: ReadonlyMap<Node, string>;
}

/**
 * Every traced value that has to be computed for the wave becomes an output behind those of the design. @param sampled
 * registers too: read after an edge, they then are as they stood before it, like outputs
 */
export function withTraced(net: Netlist, layout: BlockLayout, sampled: boolean): TracedNetlist {
  const slots = new Map(layout.slots),
    added = [...net.outputs],
    outputs = new Map<Node, string>();
  let word = layout.words;
  for (const node of tracedNodes(net.traced)) {
    if (outputs.has(node) || (!sampled && (node.op === "source" || node.op === "const"))) continue;
    const port = ` wave ${outputs.size}`,
      words = Math.ceil(node.width / 32);
    slots.set(port, { port: hidden(port, node.width), word, words });
    outputs.set(node, port);
    added.push({ port, node });
    word += words;
  }
  return { net: { ...net, outputs: added }, layout: { ...layout, words: word, slots }, outputs };
}

const hidden = (name: string, width: number): EmittedPort => ({
  name,
  dir: "out",
  width,
  signed: false,
  path: [name],
  role: "data",
  domain: "",
});

function* tracedNodes(scope: TracedScope | undefined): Generator<Node> {
  for (const s of scope?.signals ?? []) if ("op" in s.value) yield s.value;
  for (const b of scope?.below ?? []) yield* tracedNodes(b);
}

/** The first lane of a value in the model's memory; undefined for a constant. */
export function laneOf(node: Node, t: TracedNetlist, map: MemoryMap): number | undefined {
  if (node.source !== undefined) return (map.sources.get(node.source) as number) / 4;
  const port = t.outputs.get(node);
  return port === undefined ? undefined : t.layout.slots.get(port)?.word;
}

/** The signals below the top by their dotted paths from there, as ports that a bench reads. Clocks have no place. */
export function namedSlots(t: TracedNetlist): ReadonlyMap<string, PortSlot> {
  const named = new Map<string, PortSlot>();
  const walk = (scope: TracedScope, path: readonly string[]): void => {
    for (const { name, signed, value } of scope.signals) {
      const slot = "op" in value ? t.layout.slots.get(t.outputs.get(value) ?? "") : undefined;
      if (slot === undefined) continue;
      const own = [...path, name];
      named.set(own.join("."), {
        ...slot,
        port: { ...slot.port, name: own.join("."), path: own, signed },
      });
    }
    for (const b of scope.below) walk(b, [...path, b.name]);
  };
  if (t.net.traced !== undefined) walk(t.net.traced, []);
  return named;
}
