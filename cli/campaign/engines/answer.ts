/** What a worker answers, checked: a piece is anybody's code. */
import * as z from "zod";
import type { Answer } from "../piece-contract.ts";

const answerSchema = z.strictObject({
  problems: z.array(z.string()),
  figures: z.record(z.string(), z.number()),
  seconds: z.number().min(0),
});

/** The answer, or one that says what is wrong with it. */
export function checkedAnswer(message: unknown): Answer {
  const read = answerSchema.safeParse(message);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return {
    problems: [`its answer is none: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`],
    figures: {},
    seconds: 0,
  };
}
