// node validate-sarif.mjs FILE...: says what in the files is not SARIF 2.1.0. The schema is the one of the SARIF SDK.
import Ajv from "ajv";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const schemas = path.join(path.dirname(require.resolve("@microsoft/jest-sarif")), "schemas");
const schema = JSON.parse(readFileSync(path.join(schemas, "sarif-2.1.0-rtm.5.json"), "utf8"));
const ajv = new Ajv({ schemaId: "auto", meta: false, allErrors: true });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const validate = ajv.compile(schema);

let wrong = 0;
for (const file of process.argv.slice(2)) {
  if (validate(JSON.parse(readFileSync(file, "utf8")))) continue;
  ++wrong;
  for (const error of validate.errors.slice(0, 10))
    console.error(`${file}: ${error.dataPath} ${error.message} ${JSON.stringify(error.params)}`);
}
process.exit(wrong ? 1 : 0);
