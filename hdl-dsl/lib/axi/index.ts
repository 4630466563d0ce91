/** AXI-Stream, AXI4-Lite and AXI4: shapes, ports, register slices, width adapters, a slave around two functions. */
export {
  axi4Address,
  axi4Bus,
  axi4Master,
  axi4Read,
  Axi4Register,
  axi4Response,
  axi4Slave,
  axi4Write,
  axiResponse,
  type Axi4Address,
  type Axi4Channels,
  type Axi4Parameters,
  type Axi4Ports,
  type Axi4Read,
  type Axi4RegisterParameters,
  type Axi4Response,
  type Axi4Write,
} from "./axi4.ts";
export {
  liteAddress,
  liteBus,
  liteBusOf,
  LiteRead,
  LiteResponse,
  liteSlave,
  liteSlavePorts,
  LiteWrite,
  type LiteAddress,
  type LiteChannels,
  type LiteReadAccess,
  type LiteSlave,
  type LiteSlavePorts,
  type LiteWideChannels,
  type LiteWriteAccess,
} from "./axi4-lite.ts";
export { AxisRegister } from "./axis-register.ts";
export { axisBeat, type AxisBeatShape, axiStream } from "./axis.ts";
export { lastLane, onlyKept } from "./lanes.ts";
export { WidthAdapter, type WidthAdapterParameters } from "./width-adapter.ts";
