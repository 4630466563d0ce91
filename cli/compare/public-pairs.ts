/** Which published module stands beside which of ours. */

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
