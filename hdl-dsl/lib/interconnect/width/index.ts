/** Width converters of AXI4 and AXI4-Lite. */
export { Axi4WidthConverter, type Axi4WidthConverterParameters } from "./converter.ts";
export { LiteWidthConverter, type LiteWidthConverterParameters } from "./lite.ts";
