/**
 * Result of emission: plain data, all that a simulator backend, a linter or a synthesis script needs to know
 * of a design.
 */
export interface EmittedPort {
  /** Flattened Verilog name, e.g. `push_payload_tag`. */
  readonly name: string;
  readonly dir: "in" | "out";
  /** Bits. */
  readonly width: number;
  readonly signed: boolean;
  /**
   * Where it comes from in the module's declaration: port name, then stream part and field path, e.g.
   * `["push", "payload", "tag"]`.
   */
  readonly path: readonly string[];
  /**
   * `clock` and `reset` are added by the language: `clk`, `rst` for the default domain (reset is
   * synchronous, active high).
   */
  readonly role: "data" | "clock" | "reset";
  /** Of a reset: 0 resets. */
  readonly activeLow?: true;
  /** Clock domain that the port belongs to (`default` for `clk`/`rst`): that of a clock port, where there is one. */
  readonly domain: string;
}
/** A stream of the top module, for hang diagnosis and protocol checks. */
export interface EmittedStream {
  readonly name: string;
  readonly dir: "in" | "out";
  readonly valid: string;
  readonly ready: string;
  readonly payload: readonly string[];
}
/** A Verilog file as text. */
export interface EmittedFile {
  /** File name without folder: `<module>.v`. */
  readonly name: string;
  readonly text: string;
  /** Where each line comes from; absent when the text was not made by the emitter. */
  readonly map?: SourceMap;
}
/** A source map, revision 3. */
export interface SourceMap {
  readonly version: 3;
  readonly file: string;
  /** From the map's folder to the project's; empty until the place of the file is known. */
  readonly sourceRoot: string;
  /** Paths from the project's folder. */
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}
/**
 * A signal by its name in the text. `path`: declaration, then struct field or vec index. `source`: `file:line` from
 * the project's folder.
 */
export interface NamedSignal {
  readonly name: string;
  readonly kind: "input" | "output" | "wire" | "reg";
  readonly width: number;
  readonly signed?: true;
  readonly path: readonly string[];
  /** Names of its values, of a state register or an enumeration: in the order of their numbers, which `codes` has. */
  readonly states?: readonly string[];
  /** The numbers of `states`; absent when they are 0, 1, 2 and so on. */
  readonly codes?: readonly number[];
  readonly source?: string;
}
/** The names of a module: what each Verilog signal and memory is in the source. */
export interface NamedModule {
  readonly source?: string;
  readonly signals: readonly NamedSignal[];
  readonly memories: readonly {
    readonly name: string;
    readonly width: number;
    readonly depth: number;
    readonly source?: string;
  }[];
  /** Sub-modules: `module` is a key of `NameMap.modules`, so that paths can be followed down. */
  readonly instances: readonly { readonly name: string; readonly module: string; readonly source?: string }[];
}
/** Every name of a design, from the top module down; a definition that is instantiated often stands once. */
export interface NameMap {
  readonly top: string;
  readonly modules: Readonly<Record<string, NamedModule>>;
}
/** A black box of a design: its contents are the vendor's. Both files have one name, as they stand for one module. */
export interface EmittedBox {
  readonly module: string;
  /** The ports alone, marked as a black box: synthesis keeps the instance and invents nothing. */
  readonly declaration: EmittedFile;
  /** A module for simulation and lint. */
  readonly standIn: EmittedFile;
  /** Whether the stand-in behaves as its author wrote it; without that its outputs are 0. */
  readonly modelled: boolean;
}
/** A design as Verilog: its files, ports, streams and assertions. */
export interface EmittedDesign {
  /** Verilog name of the top module. */
  readonly top: string;
  /**
   * One file per module definition, in dependency order (leaves first); the top's is last. Black boxes are not among
   * them: a tool is given `synthesisFiles` or `simulationFiles`.
   */
  readonly files: readonly EmittedFile[];
  /** Clock domains whose clocks are made inside; absent when there are none. */
  readonly innerClocks?: readonly string[];
  /** Absent when there are none. */
  readonly boxes?: readonly EmittedBox[];
  readonly ports: readonly EmittedPort[];
  readonly streams: readonly EmittedStream[];
  /**
   * Every stream inside the hierarchy too: dotted instance path and signal names, for hang diagnosis in a traced run.
   */
  readonly assertions: readonly { readonly message: string; readonly position: string }[];
  /** Meaning of the names in the text; absent when the text was not made by the emitter. */
  readonly names?: NameMap;
}

/** Files for synthesis, in dependency order: black boxes are declared and have nothing inside. */
export const synthesisFiles = (d: Pick<EmittedDesign, "files" | "boxes">): readonly EmittedFile[] => [
  ...(d.boxes ?? []).map(b => b.declaration),
  ...d.files,
];
/** Files for simulation and lint, in dependency order: each black box has its stand-in. */
export const simulationFiles = (d: Pick<EmittedDesign, "files" | "boxes">): readonly EmittedFile[] => [
  ...(d.boxes ?? []).map(b => b.standIn),
  ...d.files,
];
