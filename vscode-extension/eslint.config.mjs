import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import globals from "globals";
import tseslint from "typescript-eslint";
import { rules } from "../scripts/eslint-rules.mjs";

export default rules({ defineConfig, js, tseslint, globals });
