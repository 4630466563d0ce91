import { defineConfig } from "eslint/config";
import { register } from "tsx/esm/api";
import tseslint from "typescript-eslint";

// The project's own rules are TypeScript like everything else.
const unregister = register();
const { signalMisuse } = await import("./scripts/eslint/signal-misuse.ts");
await unregister();

export default defineConfig(
  // The last two are programs for a test of the compiler: full of mistakes, on purpose.
  {
    ignores: [
      "node_modules/",
      ".cache/",
      "out/",
      "dist/",
      "generated/",
      "test/hdl-dsl/types/accepted.ts",
      "test/hdl-dsl/types/refused.ts",
    ],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    // The rule's types are typescript-eslint's, which name more than ESLint's own promise.
    plugins: {
      mnemo: {
        rules: {
          "signal-misuse": /** @type {import("eslint").Rule.RuleModule} */ (/** @type {unknown} */ (signalMisuse)),
        },
      },
    },
    rules: {
      "mnemo/signal-misuse": "error",
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `when(c, () => x.set(1))`: a block of one line stays one line.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Code is Prettier's; comments are wrapped by hand.
      "max-len": [
        "error",
        {
          code: 120,
          comments: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
          ignorePattern: "// eslint-disable-",
        },
      ],
      // Widths are inferred from a parameter that stands in the signature once.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // `void x` says that x is there to be made, not to be read.
      "@typescript-eslint/no-meaningless-void-operator": "off",
      // `_name` says that a parameter is there for the signature's sake.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_" },
      ],
    },
  },
  {
    files: ["test/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "@typescript-eslint/require-await": "off" },
  },
  {
    // One planted fault a line: not Prettier's.
    files: ["test/**/build/faults.ts"],
    rules: { "max-len": "off" },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { module: "writable", require: "readonly", __dirname: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
