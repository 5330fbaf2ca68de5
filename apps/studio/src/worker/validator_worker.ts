// Validates a file as it was given, with the parts that were given with it.
import { validateBytes } from 'gltf-validator';
import { type Beside, partAt } from '../beside';

export interface Issue {
  code: string;
  message: string;
  severity: 0 | 1 | 2 | 3; // error, warning, note, hint
  pointer?: string; // to the place in the JSON
  offset?: number; // or in a .glb
}
export interface Report {
  version: string; // of the validator
  issues: { numErrors: number; numWarnings: number; numInfos: number; numHints: number; messages: Issue[]; truncated: boolean };
}
export type Answer = { report: Report } | { message: string };

const mostIssues = 1000;
const scope = globalThis as unknown as { postMessage(answer: Answer): void; onmessage: (event: MessageEvent<{ name: string; bytes: Uint8Array; beside: Beside | null }>) => void };

scope.onmessage = async ({ data: { name, bytes, beside } }) => {
  const part = async (uri: string) => {
    const found = beside && partAt(beside, uri);
    if (!found) throw new Error('was not given');
    return new Uint8Array(await found.arrayBuffer());
  };
  try {
    const report = (await validateBytes(bytes, { uri: name, maxIssues: mostIssues, writeTimestamp: false, externalResourceFunction: part })) as { validatorVersion: string; issues: Report['issues'] };
    scope.postMessage({ report: { version: report.validatorVersion, issues: report.issues } });
  } catch (error) {
    scope.postMessage({ message: error instanceof Error ? error.message : String(error) });
  }
};
