// Encodes a GIF beside the page: pictures in, each answered once it is done; the file at the end.
import { GifEncoder } from './gif';

export type GifQuestion = { size: [number, number] } | { pixels: Uint8ClampedArray; hundredths: number } | 'finish';

const scope = globalThis as unknown as { postMessage(answer: Uint8Array | null, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<GifQuestion>) => void };
let encoder: GifEncoder;

scope.onmessage = ({ data }) => {
  if (data === 'finish') {
    const file = encoder.finish();
    return scope.postMessage(file, [file.buffer]);
  }
  if ('size' in data) encoder = new GifEncoder(...data.size);
  else encoder.add(data.pixels, data.hundredths);
  scope.postMessage(null);
};
