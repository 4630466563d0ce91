import type { ActivityHardware } from "../../../../designs/clio/software/index.ts";

/** The table of written regions, told by a list: the entry that was written longest ago stands first. */
export class TableActivity implements ActivityHardware {
  readonly bits: number;
  readonly entries: number;
  order: number[] = [];

  constructor(bits: number) {
    this.bits = bits;
    this.entries = 2 ** bits;
  }
  enroll(entry: number): Promise<void> {
    if (this.order.includes(entry)) throw new Error(`${entry} is enrolled twice`);
    this.order.push(entry);
    return Promise.resolve();
  }
  withdraw(entry: number): Promise<void> {
    if (!this.order.includes(entry)) throw new Error(`${entry} is not enrolled`);
    this.order = this.order.filter(e => e !== entry);
    return Promise.resolve();
  }
  scan(): Promise<number | undefined> {
    return Promise.resolve(this.order[0]);
  }
  write(entry: number): void {
    if (this.order.includes(entry)) this.order = [...this.order.filter(e => e !== entry), entry];
  }
}
