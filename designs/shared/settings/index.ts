/** Settings of a design: fields that say in one sentence what is wrong, sizes and times, and reading `key=value`. */
export {
  bytesOneOf,
  bytesPowerOfTwo,
  flag,
  nanoseconds,
  oneOf,
  powerOfTwo,
  range,
  textOr,
  word,
  words,
} from "./fields.ts";
export { checkFile } from "./file.ts";
export { checkSettings, keyValues, refuseUnknown, type Refusal } from "./read.ts";
export { formatBytes, parseBytes, parseNanoseconds } from "./units.ts";
export { isDeviceName } from "./device-name.ts";
