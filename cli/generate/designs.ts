import { makeSettings, type NodeConfig } from "../../designs/clio/config/index.ts";
import { clioNode } from "../../designs/clio/build/index.ts";
import { Counter } from "../../docs/examples/counter.ts";
import { emit, libraryModules, type EmittedDesign } from "../../hdl-dsl/index.ts";

/** A design that is generated, and the folder under generated/ for its files. */
export interface GeneratedDesign {
  readonly folder: string;
  readonly emitted: EmittedDesign;
  /** The folder in which files of the same text stand already: they are not written again. */
  readonly besides?: string;
}

/** The node for a configuration. */
export function node(config: NodeConfig): EmittedDesign {
  return emit(clioNode(config));
}

/**
 * Everything that is generated: the manual's example, the library's modules, and the node in the given configuration.
 */
export function designs(config: NodeConfig): readonly GeneratedDesign[] {
  return [
    { folder: "examples", emitted: emit(Counter({ width: 8 })) },
    ...libraryModules.map(m => ({ folder: "library", emitted: emit(m) })),
    { folder: "clio", emitted: node(config) },
  ];
}

/** The default node with the transport and with the offloads that it can have. */
export function furtherBuilds(): readonly GeneratedDesign[] {
  return [
    { folder: "clio-gbn", emitted: node(makeSettings({ transport: "gbn" }).config), besides: "clio" },
    { folder: "clio-offloads", emitted: node(makeSettings({ offloads: "all" }).config), besides: "clio" },
  ];
}
