// The worker's side of the border: questions in, answers out, arrays handed over and not copied.
import { EngineError } from '../../engine/engine';
import { Host, type Tell } from './host';
import type { Answer, Failure, Question } from './messages';

const host = new Host();
const scope = globalThis as unknown as { postMessage(answer: Answer, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<Question>) => void };

/** The buffers in a value. Hosts give away what they answer. */
function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (value && typeof value === 'object') for (const own of Object.values(value)) buffersIn(own, found);
  return found;
}

function failureOf(error: unknown): Failure {
  if (error instanceof EngineError) return { item: error.item, problem: error.problem, remedy: error.remedy };
  return { message: error instanceof Error ? error.message : String(error) };
}

scope.onmessage = async ({ data: { id, name, words } }) => {
  try {
    const tell: Tell = (share) => scope.postMessage({ id, share });
    const method = host[name as keyof Host] as (...words: unknown[]) => unknown;
    const value = await method.call(host, tell, ...words);
    scope.postMessage({ id, value }, [...buffersIn(value)]);
  } catch (error) {
    scope.postMessage({ id, failure: failureOf(error) });
  }
};
