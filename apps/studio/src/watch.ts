// Notices that the file which `supple studio` was given has changed on disk.
import { EngineError } from '../engine/engine';
import { type Session, session } from './sources';

const pause = 1000; // milliseconds between two looks
const patience = 3; // looks that nobody answers

export interface Watcher {
  /** Another file is there under the old name. */
  onchange: () => Promise<void>;
  /** It changed, and cannot be read. */
  onproblem: (error: EngineError) => void;
}

/** Where a server says which version of the file it has; static pages and their demo have none, and are never asked. */
export async function watch({ version }: Session, { onchange, onproblem }: Watcher): Promise<void> {
  let [known, told, silent] = [version, '', 0];
  while (known !== undefined && silent < patience) {
    await new Promise((done) => setTimeout(done, pause));
    if (document.hidden) continue;
    const now = await session().catch(() => null);
    silent = now ? 0 : silent + 1;
    if (!now) continue;
    const problem = JSON.stringify(now.problem ?? null);
    if (problem !== told && now.problem) onproblem(new EngineError(now.problem.item, now.problem.problem, now.problem.remedy));
    told = problem;
    if (now.version === known) continue;
    known = now.version;
    await onchange();
  }
}
