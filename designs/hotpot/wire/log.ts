/** The log of a node as it lies in memory: floors of the lanes, records of commits, areas. */
import { layout, num, raw } from "../../shared/wire/index.ts";
import { bounds } from "./codes.ts";

export const headBytes = 64,
  floorBytes = 8;

/** A lane: which of its commits are over, and whose it is. One word, which memory writes whole. */
export const laneFloor = layout("laneFloor", "floor of a lane", "le", {
  floor: num(32, "commits with lower numbers are over"),
  owner: num(16, "the process that commits in the lane; 0 is nobody"),
  spare: num(16, "zero"),
});

/**
 * A commit of which all areas are logged. `crc` is over the bytes behind it, those in front as 0. Without its floor
 * above `seq`, the commit is under way.
 */
export const commitRecord = layout("commitRecord", "record of a commit", "le", {
  crc: num(32, "CRC-32 of this record with 0 here", "hex"),
  state: num(8, "prepared or committed"),
  parts: num(8, "areas"),
  lane: num(16, "who commits"),
  owners: num(16, "nodes that own pages, a bit each", "hex"),
  replicas: num(16, "nodes that have copies, a bit each", "hex"),
  seq: num(32, "the lane's number of the commit"),
  pid: num(16, "the process whose pages they are"),
  crcs: raw(256, "CRC-32 of each area with its head"),
  spare: raw(112, "zero"),
});

/** Bytes between two areas: a head, its data, and room up to a power of two, so that none crosses a page. */
export const entryBytes = 2048;
/** Where things lie behind the log's address, which is a multiple of `logBytes` filled up to a power of two. */
export const logAt = {
  floor: (lane: number): number => floorBytes * lane,
  record: (place: number): number => floorBytes * bounds.lanes + headBytes * place,
  entry: (place: number, part: number): number => entryBytes * (1 + place * bounds.parts + part),
};
export const logBytes = entryBytes * (1 + bounds.commits * bounds.parts);
