// Runs the Khronos glTF validator over files:
//   node validate.mjs FILE...
// prints one JSON object, {"FILE": {"errors": n, "warnings": n, "infos": n, "messages": [...]}}, and exits with 1 where
// some file has an error.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

const severity = ['error', 'warning', 'info', 'hint'];
const reports = {};
let failed = false;
for (const file of process.argv.slice(2)) {
  const folder = path.dirname(file);
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  reports[file] = {
    errors: numErrors,
    warnings: numWarnings,
    infos: numInfos,
    messages: messages
      .filter((m) => m.severity <= 1)
      .slice(0, 50)
      .map((m) => ({ severity: severity[m.severity], code: m.code, pointer: m.pointer, message: m.message })),
  };
  failed ||= numErrors > 0;
}
console.log(JSON.stringify(reports, null, 2));
process.exit(failed ? 1 : 0);
