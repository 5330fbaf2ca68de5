// The glTF validator of Khronos, in a worker of its own that is fetched when it is first asked for.
import type { Beside } from './beside';
import { Cancelled } from './remote';
import type { Answer, Report } from './worker/validator_worker';
import ValidatorWorker from './worker/validator_worker?worker';

/** By the validator's numbers, in the singular and the plural. */
export const severities = [
  { words: ['error', 'errors'] },
  { words: ['warning', 'warnings'] },
  { words: ['note', 'notes'] },
  { words: ['hint', 'hints'] },
] as const;

export class Validator {
  private readonly worker = new ValidatorWorker();
  private cancel = () => {};

  check(name: string, bytes: Uint8Array, beside: Beside | null): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.cancel = () => reject(new Cancelled());
      this.worker.onmessage = ({ data }: MessageEvent<Answer>) => ('report' in data ? resolve(data.report) : reject(new Error(data.message)));
      this.worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || 'the validator cannot be started'));
      };
      this.worker.postMessage({ name, bytes, beside });
    });
  }

  close(): void {
    this.worker.terminate();
    this.cancel();
  }
}
