/**
 * What the command line asks of a design. Each hook is asked for only by the verbs that need it, and loads what it
 * needs then (`await import(...)`): `mnemo --help` elaborates nothing and starts no simulator.
 */
import type { Option } from "commander";
import type { Def, Proof } from "../../../hdl-dsl/index.ts";
import type { AreaFigures, Beside, Definition } from "../evaluation/index.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";

/** `run` or `serve` of a design: options of its own, and what is done with them as parsed. */
export interface DesignVerb {
  /** Made anew for each command line: an option remembers that it was given. */
  readonly options: () => readonly Option[];
  /** A method, so that each design may say what its options are. */
  act(options: object, terminal: Terminal): Promise<ExitCode>;
}

/** A build that is generated beside the default one, in `generated/<folder>`. */
export interface FurtherBuild {
  readonly folder: string;
  /** `key=value` each. */
  readonly set: readonly string[];
}

/** Blocks that the default build lacks, and a build that has them. */
export interface Block {
  readonly definition: Def;
  /** By name without parameters. */
  readonly names: readonly string[];
  /** What their names in the baseline end in: the default build has them too, of another size. */
  readonly ending?: string;
}

/** How a design is synthesized, beside its build. */
export interface SynthHook<S = readonly string[]> {
  /** Modules that are no block but made of some, by name without parameters. */
  readonly madeOfBlocks: readonly string[];
  /** The blocks that the build with these settings lacks, for the table and the baseline; none where it has some. */
  readonly further: (settings: S) => readonly Block[] | Promise<readonly Block[]>;
  /** The folder of what was measured before, from the project's; absent: the design has no baseline. */
  readonly baseline?: string;
  /** A published table beside the same rows here. @param modules figures by name without parameters */
  readonly table?: (modules: Readonly<Partial<Record<string, AreaFigures>>>) => string;
}

/** The figures of a paper's evaluation. */
export interface FigureHook {
  readonly definitions: readonly Definition[];
  readonly besides: readonly Beside[];
  /** Of the page: "Figures of the ... paper". */
  readonly title: string;
  /** What the page says first, HTML. */
  readonly introduction: string;
}

/** A figure of `mnemo bench`. */
export interface BenchFigure {
  /** Of the design; its key in the JSON file has the design's name in front. */
  readonly name: string;
  /**
   * `cycles`: the same on every machine; `time`: of this machine, and left out when only the design is asked for;
   * `growth`: of this machine, what more of the design costs, which its own users ask.
   */
  readonly counts: "cycles" | "time" | "growth";
  readonly measure: (seed: number) => Promise<{ readonly value: unknown; readonly text: string }>;
}

/** What a build takes, in simulation, for `mnemo explore`; other figures may stand beside these. */
export interface ExploredCycles {
  /** Cycles of the design's usual request, nothing else under way. */
  readonly latency: number;
  /** Gbit/s in the steady state. */
  readonly throughput: number;
  readonly [further: string]: number;
}
/** @param set `key=value` each @throws UsageError for settings that cannot be, or cannot be measured */
export type ExploreHook = (set: readonly string[], seed: number) => Promise<ExploredCycles>;

/** The design on a board with vendors' MAC and memory, and what the block design has to know of it. */
export interface VendorBoardBuild {
  /** With the ports `mac_*`, `mem_*`, `control_*` and `port_*`. */
  readonly definition: Def;
  readonly dataWidth: number;
  readonly addressBits: number;
  readonly memoryBytes: number;
}
/** A design between several MACs of a vendor, without a memory of the board's. */
export interface PortsBoardBuild {
  /** With the ports `mac_rx<i>_*`, `mac_tx<i>_*`, `control_*`, `from_software_*` and `to_software_*`. */
  readonly definition: Def;
  readonly ports: number;
  readonly dataWidth: number;
}
/** The design on boards; constraints/boards/<name>.json names the design. */
export interface BoardHook {
  /** @param parameters the board's, as `--set` would give them */
  readonly vendor?: (parameters: Readonly<Record<string, string | number>>) => VendorBoardBuild;
  /** @param parameters the board's, as `--set` would give them */
  readonly ports?: (parameters: Readonly<Record<string, string | number>>) => PortsBoardBuild;
  /** Behind a serial line. @param parameters the board's @param divider cycles of a bit */
  readonly serial?: (parameters: Readonly<Record<string, number>>, divider: number) => Def;
}

/** A file that is generated; the path is the project's, with `/`. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string | Uint8Array;
}
/** What the command line does for a design's files. */
export interface FileTools {
  /** The structure of a definition as SVG. */
  readonly drawing: (definition: Def) => Promise<string>;
  /** What synthesis for UltraScale+ has measured of the design (`SynthHook.baseline`). */
  readonly areas: () => { readonly tool: string; readonly units: Readonly<Record<string, AreaFigures>> };
}

/** The hooks that do not depend on the kind of settings. */
interface CommonHooks {
  /** As it is typed, and the folder of its Verilog under generated/. */
  readonly name: string;
  /** What it is, in a few words, for help texts. */
  readonly title: string;
  readonly run?: () => Promise<DesignVerb>;
  readonly serve?: () => Promise<DesignVerb>;
  readonly figures?: () => Promise<FigureHook>;
  readonly bench?: () => Promise<readonly BenchFigure[]>;
  readonly explore?: () => Promise<ExploreHook>;
  readonly proofs?: () => Promise<readonly Proof[]>;
  readonly boards?: () => Promise<BoardHook>;
  /** Builds that are generated and linted, too. */
  readonly furtherBuilds?: readonly FurtherBuild[];
  /** Settings of builds that are linted beside those. */
  readonly lintMatrix?: () => Promise<readonly (readonly string[])[]>;
  /** Generated files beside the Verilog: pages, headers, captures. */
  readonly files?: (tools: FileTools) => Promise<readonly GeneratedFile[]>;
}

/** A design's hooks as it states them. `S`: its settings once they are checked. */
export interface DesignHooks<S> extends CommonHooks {
  /** Reads `--set key=value` arguments. @throws UsageError in one sentence for what cannot be */
  readonly settings: (set: readonly string[]) => Promise<S>;
  /** The definition that is emitted, drawn, linted, synthesized; absent: its hardware is that of its parts. */
  readonly build?: (settings: S) => Promise<Def>;
  readonly synth?: () => Promise<SynthHook<S>>;
}

/** A design as the command line sees it: settings are `key=value` texts, checked when they are used. */
export interface Design extends CommonHooks {
  readonly build?: (set: readonly string[]) => Promise<Def>;
  readonly synth?: () => Promise<SynthHook>;
}

/** A design of its hooks. */
export function design<S>({ settings, build, synth, ...common }: DesignHooks<S>): Design {
  return {
    ...common,
    ...(build && { build: async (set: readonly string[]) => build(await settings(set)) }),
    ...(synth && {
      synth: async () => {
        const hook = await synth();
        return { ...hook, further: async (set: readonly string[]) => hook.further(await settings(set)) };
      },
    }),
  };
}
