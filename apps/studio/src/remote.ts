// The engine in its worker, as the page sees it: every question is a promise.
import { EngineError } from '../engine/engine';
import type { Host } from './worker/host';
import type { Answer, Failure } from './worker/messages';
import EngineWorker from './worker/engine_worker?worker';

type Asked<T> = T extends (tell: never, ...words: infer Words) => infer Value ? { words: Words; value: Awaited<Value> } : never;
export type Question = keyof Host;
export type Words<Q extends Question> = Asked<Host[Q]>['words'];
export type Value<Q extends Question> = Asked<Host[Q]>['value'];

/** What a question ends with that nobody waits for any more. */
export class Cancelled extends Error {
  constructor() {
    super('was cancelled');
  }
}

function errorOf(failure: Failure): Error {
  return 'message' in failure ? new Error(failure.message) : new EngineError(failure.item, failure.problem, failure.remedy);
}

interface Open {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  tell: (share: number) => void;
}

export class Remote {
  private readonly worker = new EngineWorker();
  private readonly open = new Map<number, Open>();
  private last = 0;
  private readonly ahead = new Map<string, Promise<unknown>>(); // answers to questions that will be asked

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => this.answered(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(event.message || 'the engine cannot be started'));
    };
  }

  private answered(answer: Answer): void {
    const question = this.open.get(answer.id);
    if (!question) return;
    if ('share' in answer) return question.tell(answer.share);
    this.open.delete(answer.id);
    if ('failure' in answer) question.reject(errorOf(answer.failure));
    else question.resolve(answer.value as never);
  }

  /** Asks a question that somebody will ask in the same words: the answer waits. */
  askAhead<Q extends Question>(name: Q, words: Words<Q>): void {
    const answer = this.ask(name, words);
    answer.catch(() => {}); // whoever asks hears of it
    this.ahead.set(JSON.stringify([name, words]), answer);
  }

  /** `tell` hears what share is done, of questions that say so. Arrays are copied. */
  ask<Q extends Question>(name: Q, words: Words<Q>, tell: (share: number) => void = () => {}): Promise<Value<Q>> {
    if (this.ahead.size > 0) {
      const key = JSON.stringify([name, words]);
      const answer = this.ahead.get(key) as Promise<Value<Q>> | undefined;
      this.ahead.delete(key);
      if (answer) return answer;
    }
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.open.set(id, { resolve, reject, tell });
      this.worker.postMessage({ id, name, words });
    });
  }

  private end(error: Error): void {
    for (const { reject } of this.open.values()) reject(error);
    this.open.clear();
  }

  /** Stops at once whatever it does, and gives all its memory back. */
  close(): void {
    this.worker.terminate();
    this.end(new Cancelled());
  }
}
