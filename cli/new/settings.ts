/** What surrounds the sources of a new project: its manifest, its checkers, its CI. */

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** Versions that test/package installs and runs; typescript-eslint does not take TypeScript 7. */
export const manifest = (name: string, tarball: string): string =>
  json({
    name,
    private: true,
    type: "module",
    engines: { node: ">=20" },
    scripts: {
      check: "npm run typecheck && npm run lint && npm test",
      typecheck: "tsc -p .",
      lint: "eslint .",
      test: "vitest run",
      verilog: "mnemo emit src/credits.ts --set most=5 --out verilog --strict",
      "lint:verilog": "mnemo lint src/credits.ts --set most=5 --strict",
      synth: "mnemo synth src/credits.ts --set most=5 --target ice40",
      prove: "mnemo prove src/proofs.ts --faults",
      mutate: "mnemo mutate src/credits.ts",
      cover: "mnemo cover src/credits.ts",
    },
    dependencies: { mnemosyne: `file:${tarball}` },
    devDependencies: {
      eslint: "^9.39.0",
      typescript: "~5.9.0",
      "typescript-eslint": "^8.46.0",
      vitest: "^4.1.0",
    },
  });

export const tsconfig = json({
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["src", "test", "vitest.config.ts"],
});

export const eslintConfig = `import mnemosyne from "mnemosyne/eslint";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["verilog/", "out/", ".cache/", "vendor/"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { mnemosyne },
    // TypeScript accepts \`if (io.a)\` and \`a === b\`, and JavaScript answers them wrongly.
    rules: { "mnemosyne/signal-misuse": "error" },
    languageOptions: { parserOptions: { projectService: true } },
  },
);
`;

export const vitestConfig = `import { keptWorkers } from "mnemosyne/vitest";
import { defineConfig } from "vitest/config";

// While it watches, a process keeps what it imported: an edit is answered within a fifth of a second.
export default defineConfig({
  test: { include: ["test/**/*.test.ts"], testTimeout: 120_000, pool: keptWorkers(), isolate: false },
});
`;

export const gitignore = "node_modules/\n.cache/\nout/\nverilog/\n";

/** Actions by their major versions; the tools are Debian's. */
export const ci = `name: CI
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: sudo apt-get update && sudo apt-get install -y --no-install-recommends verilator yosys iverilog z3
      - run: npm ci
      - run: npm run check
      - run: npm run verilog && npm run lint:verilog
      - run: npm run prove
      - run: npm run cover -- --floor lines=100
      - uses: actions/upload-artifact@v4
        if: failure()
        with:
          name: failures
          path: out/
          if-no-files-found: ignore
`;

export const readme = (name: string): string => `# ${name}

Hardware in TypeScript with Mnemosyne. \`npm install\` once, and commit \`package-lock.json\`.

| command | does |
|---|---|
| \`npm run check\` | types, lint, benches |
| \`npm run verilog\` | the Verilog, into \`verilog/\` |
| \`npm run lint:verilog\` | the Verilog through Verilator, Yosys and Icarus |
| \`npm run prove\` | the claims of \`src/proofs.ts\`, and that each planted fault breaks them |
| \`npm run synth\` | area and depth on an iCE40 |
| \`npm run cover\` | lines and states that the benches reach |
| \`npm run mutate\` | faults planted into the module, and which of them no bench finds |

The first three need Node alone. \`npx mnemo doctor\` lists the tools that the others use.
`;
