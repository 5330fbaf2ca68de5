// Pictures as an animated GIF (GIF89a). Each has a palette of its own, and holds only what changed since the one before.
import { Palette } from './palette';

const transparent = 255; // index of what stays as it was
const largestCode = 4095;

/** Indices of eight bits, packed as GIF has them: LZW codes of growing width, in blocks of at most 255 bytes. */
export function compressed(indices: Uint8Array): Uint8Array {
  const minimum = 8;
  const [clear, end] = [1 << minimum, (1 << minimum) + 1];
  const bytes: number[] = [];
  let [held, bits] = [0, 0]; // that fill no byte yet
  let width = minimum + 1;
  const put = (code: number) => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  let known = new Map<number, number>(); // (code of what comes before) * 256 + index, to a code
  let next = end + 1;
  put(clear);
  let code = indices[0] ?? 0;
  for (let i = 1; i < indices.length; ++i) {
    const key = code * 256 + indices[i];
    const longer = known.get(key);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    put(code);
    code = indices[i];
    if (next > largestCode) {
      put(clear);
      known = new Map();
      next = end + 1;
      width = minimum + 1;
      continue;
    }
    known.set(key, next);
    if (next++ === 1 << width) ++width;
  }
  put(code);
  put(end);
  if (bits > 0) bytes.push(held & 255);
  const result = [minimum];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    result.push(block.length, ...block);
  }
  return Uint8Array.from([...result, 0]);
}

const word = (value: number) => [value & 255, value >> 8];

/** Part of a picture. */
interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class GifEncoder {
  private readonly pieces: Uint8Array[] = [];
  private before: Uint8ClampedArray | null = null;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    const text = (value: string) => [...value].map((letter) => letter.charCodeAt(0));
    // No palette for all; 8 bits a channel. The extension lets it play again and again.
    this.pieces.push(Uint8Array.from([...text('GIF89a'), ...word(width), ...word(height), 0x70, 0, 0, 0x21, 0xff, 11, ...text('NETSCAPE2.0'), 3, 1, 0, 0, 0]));
  }

  /** A picture (r, g, b, a) that is shown for some hundredths of a second. */
  add(pixels: Uint8ClampedArray, hundredths: number): void {
    const { before } = this;
    const now = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
    const past = before && new Uint32Array(before.buffer, before.byteOffset, before.length / 4);
    const changed = (pixel: number) => !past || now[pixel] !== past[pixel];
    const area = this.changedArea(changed);
    const palette = new Palette(pixels, transparent, changed);
    const table = new Uint8Array(3 * 256);
    table.set(palette.colours);
    const indices = new Uint8Array(area.width * area.height).fill(transparent);
    for (let y = 0; y < area.height; ++y)
      for (let x = 0; x < area.width; ++x) {
        const pixel = (area.top + y) * this.width + area.left + x;
        if (changed(pixel)) indices[y * area.width + x] = palette.at(pixels[4 * pixel], pixels[4 * pixel + 1], pixels[4 * pixel + 2], area.left + x, area.top + y);
      }
    // What is there stays; one index is transparent. A palette of 256 follows the place of the picture.
    const head = [0x21, 0xf9, 4, 0x05, ...word(hundredths), transparent, 0, 0x2c, ...word(area.left), ...word(area.top), ...word(area.width), ...word(area.height), 0x87];
    this.pieces.push(Uint8Array.from(head), table, compressed(indices));
    this.before = pixels;
  }

  private changedArea(changed: (pixel: number) => boolean): Area {
    let [left, top, right, bottom] = [this.width, this.height, -1, -1];
    for (let y = 0; y < this.height; ++y)
      for (let x = 0; x < this.width; ++x) {
        if (!changed(y * this.width + x)) continue;
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [top, bottom] = [Math.min(top, y), y];
      }
    if (right < 0) return { left: 0, top: 0, width: 1, height: 1 }; // a picture has at least a pixel
    return { left, top, width: right - left + 1, height: bottom - top + 1 };
  }

  finish(): Uint8Array<ArrayBuffer> {
    const size = this.pieces.reduce((sum, piece) => sum + piece.length, 1);
    const result = new Uint8Array(size);
    let at = 0;
    for (const piece of this.pieces) {
      result.set(piece, at);
      at += piece.length;
    }
    result[at] = 0x3b;
    return result;
  }
}
