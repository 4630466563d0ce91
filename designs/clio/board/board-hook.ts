import * as z from "zod";
import { type BoardHook, CheckFailed } from "../../shared/command-line/index.ts";
import { makeSettings, narrowConfig, type NodeConfig, parametersOf, parseSettings } from "../config/index.ts";
import { smallNodeParameters } from "../rtl/index.ts";
import { BoardNode } from "./board-node.ts";
import { SerialNode } from "./serial-node.ts";

/** A board's choices for the narrowed node (rtl/top/small-node.ts); sizes in bytes. */
const narrowSchema = z.strictObject({
  mtuFrame: z.number().int(),
  clientPorts: z.number().int(),
  pageSize: z.number().int(),
  physicalMemory: z.number().int(),
  slotsFactor: z.number().int(),
  tlbEntries: z.number().int(),
  freePageBuffer: z.number().int(),
});

/** The configuration of the narrowed node of a board. @throws CheckFailed when a field lacks or is none */
export function narrowedFor(parameters: Readonly<Record<string, number>>): NodeConfig {
  const read = narrowSchema.safeParse(parameters);
  if (!read.success) throw new CheckFailed(`the board's node: ${z.prettifyError(read.error)}`);
  return narrowConfig(read.data);
}

/** The node on boards: with crossings between vendors' parts, or narrowed behind a serial line. */
export const boardHook: BoardHook = {
  vendor: parameters => {
    const { config } = parseSettings(Object.entries(parameters).map(([k, v]) => `${k}=${v}`));
    return {
      definition: BoardNode(parametersOf(config)),
      dataWidth: config.dataWidth,
      addressBits: config.physAddrBits,
      memoryBytes: config.physicalMemory,
    };
  },
  serial: (parameters, divider) =>
    SerialNode({ ...smallNodeParameters(narrowedFor(parameters), makeSettings().runtime), divider }),
};
