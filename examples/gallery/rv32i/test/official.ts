/**
 * The official unit tests (github.com/riscv-software-src/riscv-tests, `isa/rv32ui`), played from a clone that
 * RISCV_TESTS names. They are not shipped here. C's preprocessor makes plain assembly of each, with `environment` in
 * the place of their `riscv_test.h`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A test ends with ECALL, and a0 has 0 or the number of the case that failed. */
const environment = `
#define __riscv_xlen 32
#define TESTNUM gp
#define RVTEST_RV32U
#define RVTEST_RV64U
#define RVTEST_CODE_BEGIN .text
#define RVTEST_CODE_END
#define RVTEST_DATA_BEGIN .balign 16
#define RVTEST_DATA_END
#define RVTEST_PASS li a0, 0; ecall
#define RVTEST_FAIL mv a0, TESTNUM; ecall
`;

const folder = process.env["RISCV_TESTS"];

/** Why they are not played, if they are not. */
export const absent: string | undefined =
  folder === undefined
    ? "RISCV_TESTS names no clone of riscv-tests"
    : existsSync(join(folder, "isa/rv32ui/Makefrag"))
      ? undefined
      : `${folder} has no isa/rv32ui/Makefrag`;

/**
 * The tests that the suite itself lists, but for `ma_data`: it wants loads and stores at any address, which RV32I
 * leaves to the surroundings and this core refuses.
 */
export function officialTests(): readonly string[] {
  if (folder === undefined || absent !== undefined) return [];
  const list = /rv32ui_sc_tests = \\\n((?:.*\\\n)+)/.exec(
    readFileSync(join(folder, "isa/rv32ui/Makefrag"), "utf8"),
  )?.[1];
  return (list ?? "").split(/[\s\\]+/).filter(n => n !== "" && n !== "ma_data");
}

/** A test as plain assembly. */
export function officialText(name: string): string {
  const isa = join(folder ?? "", "isa"),
    own = mkdtempSync(join(tmpdir(), "rv32ui-"));
  try {
    writeFileSync(join(own, "riscv_test.h"), environment);
    const includes = [own, join(isa, "macros/scalar")].flatMap(f => ["-I", f]);
    return execFileSync("cc", ["-E", "-P", "-x", "assembler-with-cpp", ...includes, join(isa, "rv32ui", `${name}.S`)], {
      encoding: "utf8",
    });
  } finally {
    rmSync(own, { recursive: true });
  }
}
