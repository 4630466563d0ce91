import { CheckFailed, UsageError } from "../../designs/shared/command-line/index.ts";

/** The package that has nextpnr-ice40 and icepack as WebAssembly. */
export const packageName = "@yowasp/nextpnr-ice40";

type Sink = (bytes: Uint8Array | null) => void;
type Run = (
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  options: { readonly stdout: Sink; readonly stderr: Sink; readonly decodeASCII?: boolean },
) => Promise<Readonly<Record<string, string | Uint8Array>>>;
interface Tools {
  readonly version: string;
  readonly runNextpnrIce40: Run;
  readonly runIcepack: Run;
}

/** The place-and-route tool and the packer. */
export interface Nextpnr {
  /** Part of every key of the cache. */
  readonly version: string;
  /**
   * Places and routes; gives the configuration as text and nextpnr's report (JSON). @throws CheckFailed with
   * nextpnr's own words
   */
  route(
    netlist: string,
    pins: string,
    args: readonly string[],
  ): Promise<{ readonly configuration: string; readonly report: string }>;
  /** The bitstream of a configuration. */
  pack(configuration: string): Promise<Uint8Array>;
}

const text = (v: string | Uint8Array | undefined): string =>
  v === undefined ? "" : typeof v === "string" ? v : new TextDecoder().decode(v);

/** @throws UsageError saying how to get it */
export async function findNextpnr(): Promise<Nextpnr> {
  const name: string = packageName;
  let found: Tools;
  try {
    found = (await import(name)) as Tools;
  } catch {
    throw new UsageError(`${packageName} is missing: run npm ci (without --omit=dev) and run this again.`);
  }
  const run = async (
    tool: "runNextpnrIce40" | "runIcepack",
    args: readonly string[],
    files: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string | Uint8Array>>> => {
    const decoder = new TextDecoder();
    let log = "";
    const sink: Sink = bytes => {
      if (bytes !== null) log += decoder.decode(bytes, { stream: true });
    };
    try {
      return await found[tool](args, files, { stdout: sink, stderr: sink });
    } catch {
      const lines = log.split("\n").filter(l => l.trim() !== ""),
        errors = lines.filter(l => l.startsWith("ERROR"));
      throw new CheckFailed((errors.length > 0 ? errors : lines.slice(-5)).join("\n"));
    }
  };
  return {
    version: `${packageName} ${found.version}`,
    async route(netlist, pins, args) {
      const out = await run(
        "runNextpnrIce40",
        [...args, "--json", "top.json", "--pcf", "top.pcf", "--asc", "top.asc", "--report", "report.json"],
        { "top.json": netlist, "top.pcf": pins },
      );
      return { configuration: text(out["top.asc"]), report: text(out["report.json"]) };
    },
    async pack(configuration) {
      const bits = (await run("runIcepack", ["top.asc", "top.bin"], { "top.asc": configuration }))["top.bin"];
      return typeof bits === "string" ? new TextEncoder().encode(bits) : (bits ?? new Uint8Array());
    },
  };
}
