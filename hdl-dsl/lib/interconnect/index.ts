/** What joins several streams and buses, and what stands between clocks. */
export {
  AxisSwitch,
  switchBeat,
  type AxisSwitchParameters,
  type AxisSwitchPorts,
  type SwitchBeat,
} from "./axis-switch.ts";
export type { AddressRange } from "./address-map.ts";
export {
  Axi4ClockConverter,
  AxisClockConverter,
  LiteClockConverter,
  type Axi4ClockConverterParameters,
} from "./clock-converters.ts";
export { Axi4Crossbar, crossbarIdBits, type Axi4CrossbarParameters, type Axi4CrossbarPorts } from "./crossbar.ts";
export {
  RoundRobinArbiter,
  type RoundRobinArbiterParameters,
  type RoundRobinArbiterPorts,
} from "./round-robin-arbiter.ts";
export {
  Axi4WidthConverter,
  LiteWidthConverter,
  type Axi4WidthConverterParameters,
  type LiteWidthConverterParameters,
} from "./width/index.ts";
