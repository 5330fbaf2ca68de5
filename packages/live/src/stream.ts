// A stream of frames over a WebSocket of this machine.
import { type LiveFrame, parseMessage } from './protocol.js';
import { type Problem, type Result, failure, success } from './result.js';
import type { Rig } from './rig.js';

/** A hand's motion is personal: it stays on this machine, and so does what may move a hand here. */
export function checkAddress(address: string): Result<string> {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return failure(`address '${address}'`, 'is none', 'write it like ws://127.0.0.1:8765');
  }
  if (url.protocol !== 'ws:')
    return failure(`address '${address}'`, 'is not of a WebSocket', 'write it like ws://127.0.0.1:8765');
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
    return failure(`address '${address}'`, 'is of another machine', 'only localhost, 127.0.0.1 and [::1] are accepted');
  return success(url.href);
}

/** What is used of a WebSocket, the browser's own or another. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  close(): void;
}

export interface StreamHandlers {
  onFrame(frame: LiveFrame): void;
  onProblem(problem: Problem): void; // with one message; the stream goes on
  onState?(state: 'open' | 'closed'): void;
}

export class LiveStream {
  private last = -Infinity;

  constructor(
    private readonly socket: Socket,
    private readonly rig: Rig,
    private readonly handlers: StreamHandlers,
  ) {
    socket.onopen = () => handlers.onState?.('open');
    socket.onclose = () => handlers.onState?.('closed');
    socket.onmessage = (event: { data: unknown }) => this.receive(event.data);
  }

  close(): void {
    this.socket.close();
  }

  private receive(data: unknown): void {
    const result: Result<LiveFrame> =
      typeof data === 'string' ? parseMessage(data, this.rig) : failure('message', 'is binary', 'send JSON as text');
    if (!result.ok) return this.handlers.onProblem(result.error);
    const frame = result.value;
    if (!(frame.time > this.last)) {
      const problem = {
        item: "field 'time'",
        problem: 'is not later than that of the frame before',
        remedy: 'send frames in order',
      };
      return this.handlers.onProblem(problem);
    }
    this.last = frame.time;
    this.handlers.onFrame(frame);
  }
}

/** Connects to a sender on this machine. */
export function openStream(
  address: string,
  rig: Rig,
  handlers: StreamHandlers,
  connect: (address: string) => Socket = (a) => new WebSocket(a),
): Result<LiveStream> {
  const checked = checkAddress(address);
  if (!checked.ok) return checked;
  try {
    return success(new LiveStream(connect(checked.value), rig, handlers));
  } catch (error) {
    return failure(`address '${address}'`, 'cannot be connected to', (error as Error).message);
  }
}
