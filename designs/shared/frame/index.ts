/**
 * Frames in hardware: AXI-Stream beats, header fields, byte lanes, the frame buffer, and the slots that frames live in.
 */
export { Align, AlignJob, AlignOutput } from "./align.ts";
export { AxisBeat, BodyBeat, BufferBeat, BufferJob, ReadBeat } from "./beats.ts";
export { type ClaimedQueue, claimedQueue } from "./claimed-queue.ts";
export { cutFields, joinBytes, joinFields } from "./fields.ts";
export { BufferWrite, FrameBuffer } from "./frame-buffer.ts";
export { FrameGuard, LinkBeat } from "./frame-guard.ts";
export { FrameHead, HeaderInsert, type HeaderShiftParameters } from "./header-insert.ts";
export { HeaderStrip, type HeaderStripParameters, StrippedHead } from "./header-strip.ts";
export { keepAll, keepTo } from "./keep.ts";
export { changedChecksum, ipv4Checksum, ipv4Constants, ipv4ConstantSum } from "./own-ipv4.ts";
export { pickOf } from "./pick.ts";
export { keptBytes } from "./kept-bytes.ts";
export { MacCrossing, type MacCrossingParameters } from "./mac-crossing.ts";
export { SlotPool } from "./slot-pool.ts";
export { SlotWords, WordWrite } from "./slot-words.ts";
export { lengthBits, Release, slotBeatBits, slotBits } from "./slots.ts";
