// What pictures of a recording go into, one after another.
import GifWorker from './gif_worker?worker';
import type { GifQuestion } from './gif_worker';
import { type EncodedPicture, webm } from './webm';

export interface Sink {
  /** Takes a picture; resolves once there is room for another. */
  add: (picture: HTMLCanvasElement) => Promise<void>;
  finish: () => Promise<{ file: Blob; extension: string }>;
  /** Gives everything back; nothing else may be asked then. */
  close: () => void;
}

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

export function gifSink(width: number, height: number, rate: number): Sink {
  const worker = new GifWorker();
  const ask = (question: GifQuestion, transfer: Transferable[] = []) =>
    new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message || 'the GIF cannot be encoded'));
      worker.postMessage(question, transfer);
    });
  let last: Promise<unknown> = ask({ size: [width, height] });
  let count = 0;
  return {
    add: async (picture) => {
      const { data: pixels } = picture.getContext('2d')!.getImageData(0, 0, width, height);
      const hundredths = Math.round((100 * (count + 1)) / rate) - Math.round((100 * count) / rate); // no error adds up
      ++count;
      await last;
      last = ask({ pixels, hundredths }, [pixels.buffer]);
    },
    finish: async () => {
      await last;
      const file = await ask('finish');
      worker.terminate();
      return { file: new Blob([file], { type: 'image/gif' }), extension: 'gif' };
    },
    close: () => worker.terminate(),
  };
}

const codecs = [['vp09.00.51.08', 'V_VP9'], ['vp8', 'V_VP8']] as const;

/** A video whose pictures have exact times, however long each took; null where the browser has no encoder for it. */
async function exactVideoSink(width: number, height: number, rate: number): Promise<Sink | null> {
  if (typeof VideoEncoder === 'undefined') return null; // pages that did not come from this machine or by https, and older browsers
  const settings = { width, height, framerate: rate, bitrate: Math.max(2_000_000, Math.round(0.15 * width * height * rate)) };
  for (const [codec, name] of codecs) {
    const { supported } = await VideoEncoder.isConfigSupported({ codec, ...settings });
    if (!supported) continue;
    const pictures: EncodedPicture[] = [];
    let failure: Error | null = null;
    const encoder = new VideoEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        pictures.push({ bytes, milliseconds: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key' });
      },
      error: (error) => (failure = error),
    });
    encoder.configure({ codec, ...settings });
    let count = 0;
    return {
      add: async (picture) => {
        const frame = new VideoFrame(picture, { timestamp: Math.round((1e6 * count) / rate), duration: Math.round(1e6 / rate) });
        encoder.encode(frame, { keyFrame: count % (2 * rate) === 0 });
        frame.close();
        ++count;
        while (encoder.encodeQueueSize > 4 && !failure) await pause(4);
        if (failure) throw failure;
      },
      finish: async () => {
        await encoder.flush();
        encoder.close();
        return { file: webm({ codec: name, width, height, milliseconds: (1000 * count) / rate, pictures }), extension: 'webm' };
      },
      close: () => encoder.state !== 'closed' && encoder.close(),
    };
  }
  return null;
}

/** As MediaRecorder has it: every picture is shown for its time, and the recording waits while the next is made. */
function playedVideoSink(width: number, height: number, rate: number): Sink {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const mimeType = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((type) => MediaRecorder.isTypeSupported(type));
  if (!mimeType) throw new Error('this browser cannot record video: choose GIF');
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 0.2 * width * height * rate });
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  return {
    add: async (picture) => {
      context.drawImage(picture, 0, 0);
      if (recorder.state === 'inactive') recorder.start();
      else recorder.resume();
      track.requestFrame();
      await pause(1000 / rate);
      recorder.pause();
    },
    finish: async () => {
      await new Promise((done) => {
        recorder.onstop = done;
        recorder.stop();
      });
      track.stop();
      return { file: new Blob(pieces, { type: mimeType.split(';')[0] }), extension: mimeType.includes('mp4') ? 'mp4' : 'webm' };
    },
    close: () => {
      if (recorder.state !== 'inactive') recorder.stop();
      track.stop();
    },
  };
}

export async function videoSink(width: number, height: number, rate: number): Promise<Sink> {
  return (await exactVideoSink(width, height, rate)) ?? playedVideoSink(width, height, rate);
}
