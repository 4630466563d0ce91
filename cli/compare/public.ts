/** Modules of the library beside published ones of their kind, which have other ports and other cycles. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { catalogue, emit, synthesisFiles } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { totalLuts } from "../synth/area.ts";
import { levelsOf } from "../synth/report.ts";
import { synthesize } from "../synth/synthesize.ts";
import { targets } from "../synth/target.ts";
import type { Yosys } from "../synth/yosys.ts";
import type { Cost } from "./measure.ts";

/** One of ours, by its Verilog name, and one of theirs. */
export interface PublicPair {
  readonly ours: string;
  /** Below the folder that is given: a clone of github.com/alexforencich/<repository>. */
  readonly repository: "verilog-ethernet" | "verilog-axi";
  readonly top: string;
  /** Further files of its `rtl`, without `.v`. */
  readonly with: readonly string[];
  /** Of the top: as ours is built. */
  readonly parameters: Readonly<Record<string, number>>;
  /** What one of both does and the other does not. */
  readonly differs: string;
}
const crossbar = ["arbiter", "priority_encoder", "axi_register_rd", "axi_register_wr"],
  bus64 = { DATA_WIDTH: 64, ADDR_WIDTH: 32 };
// Its XGMII side is not among them: Yosys 0.23 has not read its CRC, a constant function, after seven minutes.
export const publicPairs: readonly PublicPair[] = [
  {
    ours: "GmiiReceiver_longest1522",
    repository: "verilog-ethernet",
    ...{ top: "axis_gmii_rx", with: ["lfsr"], parameters: {} },
    differs: "ours bounds a frame's length; theirs has MII, too",
  },
  {
    ours: "GmiiTransmitter",
    repository: "verilog-ethernet",
    ...{ top: "axis_gmii_tx", with: ["lfsr"], parameters: {} },
    differs: "theirs has MII, too",
  },
  {
    ours: "Axi4Crossbar_2x2_a32_i4_b8_o8",
    repository: "verilog-axi",
    top: "axi_crossbar",
    with: ["axi_crossbar_addr", "axi_crossbar_rd", "axi_crossbar_wr", ...crossbar],
    parameters: { ...bus64, S_COUNT: 2, M_COUNT: 2, S_ID_WIDTH: 4 },
    differs: "of a master ours has eight accesses under way, at one slave at a time; theirs sixteen of two IDs",
  },
  {
    ours: "Axi4WidthConverter_8to32_a32_i4_o8",
    repository: "verilog-axi",
    ...{ top: "axi_adapter", with: ["axi_adapter_rd", "axi_adapter_wr"] },
    parameters: { ADDR_WIDTH: 32, S_DATA_WIDTH: 64, M_DATA_WIDTH: 256, ID_WIDTH: 4 },
    differs: "ours has eight accesses under way; theirs one",
  },
  {
    ours: "Axi4WidthConverter_32to8_a32_i4_o8",
    repository: "verilog-axi",
    ...{ top: "axi_adapter", with: ["axi_adapter_rd", "axi_adapter_wr"] },
    parameters: { ADDR_WIDTH: 32, S_DATA_WIDTH: 256, M_DATA_WIDTH: 64, ID_WIDTH: 4 },
    differs: "ours has eight accesses under way; theirs one",
  },
  {
    ours: "AxiDma_addressBits32_idBits4_beatBytes16",
    repository: "verilog-axi",
    ...{ top: "axi_cdma", with: [] },
    parameters: { AXI_DATA_WIDTH: 128, AXI_ADDR_WIDTH: 32, AXI_ID_WIDTH: 4 },
    differs:
      "ours fetches chains of descriptors from memory, with rows and strides; theirs is given one copy at a time",
  },
  {
    ours: "AxiDma_addressBits32_idBits4_beatBytes16_anyByte",
    repository: "verilog-axi",
    ...{ top: "axi_cdma", with: [] },
    parameters: { AXI_DATA_WIDTH: 128, AXI_ADDR_WIDTH: 32, AXI_ID_WIDTH: 4, ENABLE_UNALIGNED: 1 },
    differs: "as before; both between any bytes",
  },
];

/** The text of a module with other values of its parameters. @throws UsageError when it has none of that name */
export function withParameters(text: string, parameters: Readonly<Record<string, number>>): string {
  return Object.entries(parameters).reduce((t, [name, value]) => {
    const at = new RegExp(`(\\bparameter\\s+${name}\\s*=\\s*)[^,\\n]+`);
    if (!at.test(t)) throw new UsageError(`a published module has no parameter ${name}; give another commit of it`);
    return t.replace(at, `$1${value}`);
  }, text);
}

export interface Beside {
  readonly pair: PublicPair;
  readonly ours: Omit<Cost, "lines">;
  readonly theirs: Omit<Cost, "lines">;
}
/** Commits of the clones, by repository; `unknown` for a folder that is no clone. */
export const commitsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    [...new Set(publicPairs.map(p => p.repository))].map(r => {
      const { stdout, status } = spawnSync("git", ["-C", join(folder, r), "rev-parse", "--short=12", "HEAD"]);
      return [r, status === 0 ? stdout.toString().trim() : "unknown"];
    }),
  );

/**
 * Both through the same synthesis, out of context.
 * @param folder has the clones @param step called with the name of each step
 * @throws UsageError when a file is not there
 */
export async function compareWithPublic(
  folder: string,
  yosys: Yosys,
  step: (what: string) => void,
): Promise<readonly Beside[]> {
  const cost = async (top: string, files: readonly { readonly name: string; readonly text: string }[]) => {
    const done = await synthesize({ name: top, top, files }, targets.xcup, yosys, pass => step(`${top}: ${pass}`));
    return { lut: totalLuts(done.area), ff: done.area.ff, levels: levelsOf(done) };
  };
  const textOf = (p: PublicPair, name: string): string => {
    const path = join(folder, p.repository, "rtl", `${name}.v`);
    if (!existsSync(path))
      throw new UsageError(`--public ${folder}: ${path} is not there; clone github.com/alexforencich/${p.repository}`);
    // Yosys knows not all formats of their messages, which are no hardware.
    return readFileSync(path, "utf8").replace(/\$(?:display|error)\([^;]*\);/g, ";");
  };
  const emitted = new Map(catalogue.map(({ def }) => emit(def)).map(e => [e.top, e])),
    all: Beside[] = [];
  for (const pair of publicPairs) {
    const own = emitted.get(pair.ours);
    if (own === undefined) throw new RangeError(`the catalogue has no ${pair.ours}`);
    const theirs = [
      { name: `${pair.top}.v`, text: withParameters(textOf(pair, pair.top), pair.parameters) },
      ...pair.with.map(name => ({ name: `${name}.v`, text: textOf(pair, name) })),
    ];
    all.push({
      pair,
      ours: await cost(pair.ours, synthesisFiles(own)),
      theirs: await cost(pair.top, theirs),
    });
  }
  return all;
}

const columns = ["lut", "ff", "levels"] as const;
/** Rows of a table: a pair, and each figure of ours and of theirs. */
export const besideRows = (all: readonly Beside[]): readonly (readonly string[])[] =>
  all.map(({ pair, ours, theirs }) => [
    pair.ours,
    pair.top,
    ...columns.flatMap(c => [String(ours[c]), String(theirs[c])]),
  ]);
export const besideHeads = ["ours", "theirs", ...columns.flatMap(c => [`${c}: ours`, "theirs"])];
/** The same in Markdown, with what differs, and the commits. */
export const besideMarkdown = (all: readonly Beside[], commits: ReadonlyMap<string, string>): string =>
  [
    `| ${[...besideHeads, "what differs"].join(" | ")} |`,
    `|${besideHeads.map((_, i) => (i < 2 ? "---" : "---:")).join("|")}|---|`,
    ...besideRows(all).map((row, i) => `| ${[...row, all[i]?.pair.differs ?? ""].join(" | ")} |`),
    "",
    `Commits: ${[...commits].map(([r, c]) => `${r} \`${c}\``).join(", ")}.`,
  ].join("\n");
