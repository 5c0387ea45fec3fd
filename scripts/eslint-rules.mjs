// The rules for TypeScript and JavaScript that eslint.config.mjs of the page and of the extension share. Layout is prettier's
// business (.prettierrc.json), and none of these rules is about it.

/** What eslint.config.mjs exports; the packages are those of the folder it is in. */
export function rules({ defineConfig, js, tseslint, globals }) {
  return defineConfig(
    { ignores: ["**/node_modules/", "**/dist/", "**/.test-build/", "**/media/", "**/bin/"] },
    { linterOptions: { reportUnusedDisableDirectives: "error" } },
    js.configs.recommended,
    {
      rules: {
        eqeqeq: "error",
        "no-var": "error",
        "prefer-const": "error",
        "object-shorthand": "error",
      },
    },
    {
      files: ["**/*.ts"],
      extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
      languageOptions: { parserOptions: { projectService: true } },
      rules: {
        "@typescript-eslint/dot-notation": ["error", { allowIndexSignaturePropertyAccess: true }],
        "@typescript-eslint/no-confusing-void-expression": [
          "error",
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        // The runner waits for the promises of its tests.
        "@typescript-eslint/no-floating-promises": [
          "error",
          {
            allowForKnownSafeCalls: [
              { from: "package", name: ["describe", "test", "before", "after"], package: "node:test" },
            ],
          },
        ],
        // With noUncheckedIndexedAccess, `steps[index]!` says what is known of the index.
        "@typescript-eslint/no-non-null-assertion": "off",
        "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
        "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      },
    },
    {
      files: ["**/*.mjs"],
      // Tests hand functions to a browser.
      languageOptions: { globals: { ...globals.node, document: "readonly", getComputedStyle: "readonly" } },
      rules: { "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }] },
    },
  );
}
