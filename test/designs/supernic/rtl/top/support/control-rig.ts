/** The registers' block: a small build, and software at its bus. */
import { snicMap } from "../../../../../../designs/supernic/registers/index.ts";
import { Control, type DeviceParameters } from "../../../../../../designs/supernic/rtl/top/index.ts";
import { type TableName, tables, tableWrite } from "../../../../../../designs/supernic/wire/index.ts";
import { type Bench, LiteMaster } from "../../../../../../sim/index.ts";

export const p: DeviceParameters = {
  ports: 2,
  users: 4,
  contexts: 32,
  cells: 64,
  regions: 3,
  slots: 2,
  branches: 2,
  credits: 4,
  rules: 32,
  macs: 64,
  frameBytes: 1536,
  beats: 4096,
  softwareBeats: 256,
  pauseAt: 72,
  resumeAt: 36,
  linkBytes: 65_536,
  pauseCycles: 1000,
  softwareCycles: 1000,
};
export const dut = () => Control(p);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;
const addressOf = (name: string): number => {
  const found = snicMap.registers.find(r => r.name === name);
  if (!found) throw new RangeError(`there is no register ${name}`);
  return found.address;
};
/** Software at the registers, and what the slots are told. */
export class Rig {
  readonly b: B;
  readonly bus: LiteMaster;
  constructor(b: B) {
    this.b = b;
    this.bus = new LiteMaster(b.sim, b.io);
  }
  write(name: string, value: number): Promise<void> {
    return this.bus.write(addressOf(name), value);
  }
  read(name: string): Promise<number> {
    return this.bus.read(addressOf(name));
  }
  async entry(name: TableName, index: number, values: Readonly<Record<string, number>>): Promise<void> {
    const { value } = tableWrite(name, index, values as never);
    for (let i = 0; i < 2; i++) await this.write(`value${i}`, Number((value >> BigInt(32 * i)) & 0xffffffffn));
    await this.write("table", tables[name].id);
    await this.write("tableIndex", index);
    await this.write("tableWrite", 1);
    await this.b.cycles(4);
  }
  get controls(): number[][] {
    return this.b.io.slots.map(s => [s.busyAt.num, s.patience.num, s.quiesce.num, s.isolate.num]);
  }
}
