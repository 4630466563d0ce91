/** The page table with software that has written all it will before the first look comes, and looks as they like. */
import {
  assumeAlways,
  bit,
  fromBits,
  input,
  type Inside,
  instance,
  portOf,
  reg,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { Look, PageEntry, PageTable, Space, WaySpace, Write } from "../../memory/index.ts";

/** 2 ways, 2 spaces, 4 entries, 4 pages of the board's memory; a virtual page's number has 3 bits. */
export const sizes = { ways: 2, pages: 4, spaces: 2, pageShift: 32, ppnBits: 2, freePages: 2 } as const;

export const tablePorts = () => ({
  asks: input(uint(sizes.ways)),
  looks: input(vec(Look(sizes), sizes.ways)),
  wanting: input(uint(sizes.ways)),
  wayWrite: input(Write(1, WaySpace(sizes))),
  spaceWrite: input(Write(1, Space(sizes))),
  pageWrite: input(Write(2, PageEntry(sizes))),
  /** Software has written all that it will. */
  begins: input(bit),
  freeValid: input(bit),
  freePpn: input(uint(sizes.ppnBits)),
});

export function tableRig(io: Inside<ReturnType<typeof tablePorts>>) {
  const dut = instance("dut", PageTable(sizes)),
    runs = reg(bit, { init: 0, name: "model_runs" }),
    told = reg(uint(sizes.spaces), { init: 0, name: "model_spaces_told" }),
    entries = reg(uint(sizes.pages), { init: 0, name: "model_entries_told" });
  when(io.begins, () => runs.set(1));
  dut.wayWrite.set(io.wayWrite);
  dut.spaceWrite.set(io.spaceWrite);
  dut.pageWrite.set(io.pageWrite);
  dut.wanting.set(io.wanting);
  dut.epoch.set(0);
  dut.seeAt.set(0);
  dut.free.valid.set(io.freeValid);
  dut.free.payload.set(io.freePpn);
  for (let i = 0; i < sizes.ways; i++) {
    const look = portOf(dut, "look", i);
    look.valid.set(io.asks.bit(i).and(runs));
    look.payload.set(io.looks.at(i));
  }
  const anyWrite = io.wayWrite.en.or(io.spaceWrite.en).or(io.pageWrite.en);
  assumeAlways(runs.or(io.begins).and(anyWrite).not(), "software writes before looks come");
  assumeAlways(io.pageWrite.en.and(io.pageWrite.value.present).not(), "it gives no page away itself");
  const { spaceWrite, pageWrite } = io;
  const oneOf = (n: number, at: UInt) => fromBits(Array.from({ length: n }, (_, i) => at.eq(i))).is(n);
  when(spaceWrite.en, () => told.set(told.or(oneOf(sizes.spaces, spaceWrite.index))));
  when(pageWrite.en, () => entries.set(entries.or(oneOf(sizes.pages, pageWrite.index))));
  assumeAlways(io.begins.not().or(told.all().and(entries.all())), "it writes all of them");
  return { dut, runs, takes: io.freeValid.and(dut.free.ready) };
}
