import { Option } from "commander";

/** `--strict`, for the verbs that elaborate. */
export const strictOption = (): Option => new Option("--strict", "warnings of the language are errors");
