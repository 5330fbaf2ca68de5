// Checks root extensions of glTF files against their JSON schema:
//   node check_schema.mjs SCHEMA EXTENSION FILE...
// prints one JSON object, {"FILE": {"valid": true|false, "errors": [...]}}, and exits with 1 where some file is invalid
// or lacks the extension.
import fs from 'node:fs';
import Ajv from 'ajv/dist/2020.js';

function document(file) {
  const bytes = fs.readFileSync(file);
  const isBinary = bytes.readUInt32LE(0) === 0x46546c67;
  return JSON.parse((isBinary ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes).toString('utf8'));
}

const [schema, extension, ...files] = process.argv.slice(2);
// In strict mode Ajv also complains about keywords that it does not know, which a slip of the pen would be.
const check = new Ajv.default({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(fs.readFileSync(schema, 'utf8')),
);
const reports = {};
for (const file of files) {
  const value = document(file).extensions?.[extension];
  const valid = value !== undefined && check(value);
  const errors = valid || value === undefined ? [] : check.errors.map((e) => `${e.instancePath} ${e.message}`);
  reports[file] = { valid, errors: value === undefined ? [`has no ${extension}`] : errors };
}
console.log(JSON.stringify(reports, null, 2));
process.exit(Object.values(reports).every((report) => report.valid) ? 0 : 1);
