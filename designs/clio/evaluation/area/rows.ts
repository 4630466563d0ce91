/** The paper's Table 4.1 beside the blocks built here: the blocks of each row, and the goals of the project. */
export interface Row {
  readonly name: string;
  /** Percent of the ZCU106's LUTs and BRAM in the paper; undefined: the paper has no such row. */
  readonly paper: { readonly lut: number; readonly bram: number } | undefined;
  /** Blocks of the node, by short name. */
  readonly blocks: readonly string[];
  /** LUTs wanted at most. */
  readonly goal?: number;
  readonly note?: string;
}

/** The ZCU106's ZU7EV (DS891): the paper's percentages may be of LUTs or of logic cells, so both are printed. */
export const zu7ev = { lut: 230_400, logicCells: 504_000, bram: 312 } as const;

/** LUT levels of the longest path wanted at most, at 512 bits (a rule of thumb for 250 MHz). */
export const levelsGoal = 8;

export const rows: readonly Row[] = [
  {
    name: "VirtMem",
    paper: { lut: 5.5, bram: 3 },
    blocks: ["Translate"],
    goal: 8_000,
    note: "TLB, misses, page table, faults, permissions",
  },
  {
    name: "  with the access engines",
    paper: undefined,
    blocks: ["Translate", "AccessRead", "AccessWrite", "AxiShare"],
    note: "AXI4 reads and writes, byte by byte",
  },
  {
    name: "NetStack",
    paper: { lut: 2.3, bram: 1.7 },
    blocks: ["NetRx", "NetTx", "ReplyContexts"],
    goal: 4_000,
    note: "Ethernet to Clio header, both ways, ARP, ping, NACK",
  },
  {
    name: "Go-Back-N",
    paper: { lut: 5.8, bram: 2.6 },
    blocks: ["GbnRx", "GbnTx"],
    note: "1,024 sessions, window 128, both directions; of a build with transport = gbn, and in the total only of such a one",
  },
  {
    name: "Offloads",
    paper: undefined,
    blocks: ["PointerChase", "ClioKv", "MultiVersion", "DataFrame"],
    note: "pointer chase, KV, MV and DF; of a build with offloads = all, each behind an OffloadSlot, and in the total only of such a one",
  },
  {
    name: "Total",
    paper: { lut: 31, bram: 31 },
    blocks: ["ClioNode"],
    goal: 30_000,
    note: "the paper's has MAC, DDR4 controller and interconnect, ours has none",
  },
];
