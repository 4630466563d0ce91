/** The ports of an offload as they are seen from within. */
import type { StreamIn, StreamOut } from "../../../../hdl-dsl/index.ts";
import type {
  BodyBeat,
  MemoryReply,
  MemoryRequest,
  OffloadReply,
  OffloadRequest,
} from "../../../clio/offload/index.ts";

type Beat = ReturnType<typeof BodyBeat>;
export interface MemoryIo {
  readonly memory: StreamOut<ReturnType<typeof MemoryRequest>>;
  readonly memoryData: StreamOut<Beat>;
  readonly memoryReply: StreamIn<typeof MemoryReply>;
  readonly memoryReplyData: StreamIn<Beat>;
}
export interface Io extends MemoryIo {
  readonly request: StreamIn<ReturnType<typeof OffloadRequest>>;
  readonly requestData: StreamIn<Beat>;
  readonly reply: StreamOut<ReturnType<typeof OffloadReply>>;
  readonly replyData: StreamOut<Beat>;
}
