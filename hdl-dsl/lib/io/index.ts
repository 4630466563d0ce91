/** What stands at the edge of a chip: serial lines, timers, interrupts. */
export { I2cMaster, I2cCommand, I2cReply } from "./i2c-master.ts";
export { I2cReceived, I2cSlave } from "./i2c-slave.ts";
export { InterruptController, type InterruptControllerParameters } from "./interrupt-controller.ts";
export { filteredLine } from "./line.ts";
export { Parity } from "./parity.ts";
export { spiCommand, SpiMaster, type SpiCommand, type SpiMasterParameters } from "./spi-master.ts";
export { SpiSlave } from "./spi-slave.ts";
export { CompareTimer, type CompareTimerParameters } from "./timer.ts";
export { uartCharacter, UartReceiver, type UartCharacter } from "./uart-receiver.ts";
export { UartTransmitter, type UartParameters } from "./uart-transmitter.ts";
