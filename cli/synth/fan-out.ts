import { classOf } from "./cells.ts";
import { type NetName, netNames } from "./net-names.ts";
import type { Netlist } from "./netlist.ts";

/** What a net mostly does where it is read: `enable` and `reset` of registers, or anything else. */
export type NetRole = "enable" | "reset" | "logic";

/** A net that many cells read. */
export interface FanOut {
  readonly net: NetName;
  /** Inputs of cells that it drives, clocks left out. */
  readonly sinks: number;
  readonly role: NetRole;
}

/**
 * Inputs that a device has a network of its own for. Ports of the vendors' cells: UG974 (Xilinx), FPGA-TN-02032 (ECP5),
 * the iCE40 technology library.
 */
const clock = /^(?:C|CLK|WCLK|RCLK|CLK[AB]\w*|CLKARDCLK|CLKBWRCLK|WCK|CLKA|CLKB|GE?)$/;
const enable = /^(?:CE|CEN|E|ENARDEN|ENBWREN|OCE[AB]?|CE[AB])$/;
const reset = /^(?:R|S|CLR|PRE|LSR|RST\w*|SR)$/;

/**
 * The nets that most inputs of cells hang on, widest first. Nets without a name of the design are known by the register
 * or the logic that mapping made: they have none.
 */
export function widestNets(netlist: Netlist, count: number): readonly FanOut[] {
  const sinks = new Map<number, { all: number; enables: number; resets: number }>();
  for (const cell of Object.values(netlist.cells)) {
    const isState = classOf(cell.type).kind === "state";
    for (const [port, bits] of Object.entries(cell.connections)) {
      if (cell.port_directions[port] !== "input" || clock.test(port)) continue;
      for (const net of bits) {
        if (typeof net !== "number") continue;
        let n = sinks.get(net);
        if (n === undefined) sinks.set(net, (n = { all: 0, enables: 0, resets: 0 }));
        n.all++;
        if (isState && enable.test(port)) n.enables++;
        else if (isState && reset.test(port)) n.resets++;
      }
    }
  }
  const names = netNames(netlist);
  return [...sinks]
    .map(([net, n]): FanOut => ({
      net: names.get(net) ?? { name: `net ${net}, which mapping made`, src: undefined },
      sinks: n.all,
      role: 2 * n.resets > n.all ? "reset" : 2 * n.enables > n.all ? "enable" : "logic",
    }))
    .sort((a, b) => b.sinks - a.sinks || (a.net.name < b.net.name ? -1 : 1))
    .slice(0, count);
}
