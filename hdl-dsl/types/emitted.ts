/**
 * What emission gives: plain data, all that a simulator backend, a linter or a synthesis script needs to know of a design.
 */
export interface EmittedPort {
  /** Flattened Verilog name, e.g. `push_payload_tag`. */
  readonly name: string;
  readonly dir: "in" | "out";
  /** Bits. */
  readonly width: number;
  readonly signed: boolean;
  /** Where it comes from in the module's declaration: port name, then stream part and field path, e.g. `["push", "payload", "tag"]`. */
  readonly path: readonly string[];
  /** `clock` and `reset` are added by the language: `clk`, `rst` for the default domain (reset is synchronous, active high). */
  readonly role: "data" | "clock" | "reset";
  /** Clock domain that the port belongs to (`default` for `clk`/`rst`). */
  readonly domain: string;
}
/** A stream of the top module, for hang diagnosis and protocol checks. */
export interface EmittedStream { readonly name: string; readonly dir: "in" | "out"; readonly valid: string; readonly ready: string; readonly payload: readonly string[] }
export interface EmittedFile {
  /** File name without folder: `<module>.v`. */
  readonly name: string; readonly text: string;
}
export interface EmittedDesign {
  /** Verilog name of the top module. */
  readonly top: string;
  /** One file per module definition, in dependency order (leaves first); the top's is last. */
  readonly files: readonly EmittedFile[];
  readonly ports: readonly EmittedPort[];
  readonly streams: readonly EmittedStream[];
  /** Every stream inside the hierarchy too: dotted instance path and signal names, for hang diagnosis in a traced run. */
  readonly assertions: readonly { readonly message: string; readonly position: string }[];
}
