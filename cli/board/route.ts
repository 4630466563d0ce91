import * as z from "zod";
import { contentKey, remembered } from "../cache.ts";
import { findYosys } from "../synth/yosys.ts";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { contentOf } from "../verilog-content.ts";
import { ice40Sources } from "./ice40.ts";
import { findNextpnr } from "./nextpnr.ts";
import type { Ice40Board } from "./schema.ts";

/** Result of placing and routing. */
export interface Routed {
  /** Highest frequency of the board's clock after routing, MHz. */
  readonly mhz: number;
  /** Used and there, by nextpnr's names (ICESTORM_LC: logic cells, ICESTORM_RAM: memory blocks). */
  readonly used: Readonly<Record<string, { readonly used: number; readonly available: number }>>;
  /** The bitstream, base64. */
  readonly bitstream: string;
}

const reportSchema = z.object({
  fmax: z.record(z.string(), z.object({ achieved: z.number() })),
  utilization: z.record(z.string(), z.object({ used: z.number(), available: z.number() })),
});

/**
 * The attributes of memories are for other devices: here every memory is mapped as it fits. No ordering logic is to be
 * made for memories that are never read and written at one place at one time (collision "undefined").
 */
const script = (top: string, files: readonly string[]): string =>
  [
    ...files.map(f => `read_verilog ${f}`),
    `hierarchy -check -top ${top}`,
    "setattr -unset ram_style */m:*",
    "setattr -set no_rw_check 1 FrameBuffer*/m:frames BlockMemory*/m:words",
    `synth_ice40 -abc9 -top ${top} -json top.json`,
    "",
  ].join("\n");

/**
 * Synthesizes with Yosys, places and routes with nextpnr-ice40 and packs the bitstream, or recalls all that of the same
 * text, tools and seed.
 * @param root the project's folder @param seed nextpnr's @param step called with the name of each step
 * @throws CheckFailed when it does not fit or does not reach the board's clock
 */
export async function routeBoard(
  root: string,
  b: Ice40Board,
  seed: number,
  step: (what: string) => void,
): Promise<Routed & { readonly fresh: boolean }> {
  const { top, verilog, pins } = ice40Sources(root, b),
    yosys = await findYosys(),
    nextpnr = await findNextpnr();
  const commands = script(
    top,
    verilog.map(f => f.name),
  );
  const args = [
    `--${b.device}`,
    "--package",
    b.package,
    "--freq",
    String(b.clockMHz),
    "--seed",
    String(seed),
    "--router",
    "router2",
  ];
  const key = contentKey([yosys.version, nextpnr.version, commands, pins, ...args, ...contentOf(verilog)]);
  const { value, fresh } = await remembered("route", key, async (): Promise<Routed> => {
    step("synthesizing");
    const netlist = await yosys.run(verilog, commands, "top.json", pass => step(`synthesizing: ${pass}`));
    step("placing and routing");
    const { configuration, report } = await nextpnr.route(netlist, pins, args),
      { fmax, utilization } = reportSchema.parse(JSON.parse(report));
    step("packing");
    return {
      mhz: Math.min(...Object.values(fmax).map(f => f.achieved)),
      used: utilization,
      bitstream: Buffer.from(await nextpnr.pack(configuration)).toString("base64"),
    };
  });
  if (value.mhz < b.clockMHz)
    throw new CheckFailed(
      `${b.name}: ${value.mhz.toFixed(1)} MHz after routing, the board's clock has ${b.clockMHz} MHz`,
    );
  return { ...value, fresh };
}
